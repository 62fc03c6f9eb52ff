/// An observation that ends with an object.
///
/// The source's next change ends the observation of an object that is gone. But there may be none: the source's store can
/// be gone too, and a signal may never send. So each new observation also looks at two old ones, and ends them if their
/// objects are gone. Thus at most about half of all are over, and no timer or thread is needed.
final class ScopedObservation: @unchecked Sendable {
  // Both references are set once. Only the main actor reads `object` if only the main actor uses the object.
  private weak var object: AnyObject?
  private weak var dust: Dust?

  init(_ dust: Dust, of object: AnyObject) { (self.dust, self.object) = (dust, object) }

  /// The observations, first those at which no later one has looked for the longest time.
  private static let ofAnyThread = Guarded(FIFO<ScopedObservation>())
  private static let ofMainActor = Guarded(FIFO<ScopedObservation>())

  /// Adds the observation, and ends up to two old ones.
  ///
  /// - Parameter isOfMainActor: Whether only the main actor uses the object, which also runs this method.
  func add(isOfMainActor: Bool) {
    #if DEBUG
      // The observations of other tests must not change the steps of a scenario.
      if scheduledThread != nil { return }
    #endif
    let all = isOfMainActor ? ScopedObservation.ofMainActor : ScopedObservation.ofAnyThread
    all.withLock { $0.append(self) }
    let thread = currentThread()
    // The references below to other code's objects may be the last ones, so this thread must hold no lock.
    guard thread.holdsLock else { return ScopedObservation.endOld(in: all) }
    thread.append(Place(to: self) { _, _, _ in ScopedObservation.endOld(in: all) }, isOwn: false)
  }

  private static func endOld(in all: Guarded<FIFO<ScopedObservation>>) {
    for _ in 1...2 {
      // No lock is held here, because this reference to the object or to the Dust may be the last one.
      guard let old = all.withLock({ $0.popFirst() }), let dust = old.dust else { continue }
      if old.object == nil, !dust.isBusy {
        dust.clean()
      } else if !dust.isCleaned {
        all.withLock { $0.append(old) }
      }
    }
  }
}

extension Dust {
  /// Whether another thread holds a lock for which `clean()` would wait, for example in the body of a `modify`. The source's
  /// next change then ends the observation.
  fileprivate var isBusy: Bool {
    guard let channel = lock.withLock({ channel }) else { return false }
    let roots = channel.derivedNode?.roots.map(\.channel) ?? []
    return ([channel.regionChannel] + roots).contains { channel in
      guard channel.lock.tryLock() else { return true }
      channel.lock.unlock()
      return false
    }
  }
}

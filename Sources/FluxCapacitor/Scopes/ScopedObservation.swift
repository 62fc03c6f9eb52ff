/// Ties an observation to an object.
///
/// The observer is called only while the object exists. The first change after that ends the
/// observation, from inside the call.
///
/// The Dust retains this object through the closure, and this object retains the Dust. Releasing
/// the closure with the observation breaks the cycle.
final class ScopedObservation: @unchecked Sendable {
  // Another thread may call the observer before `dust` is set, so `lock` guards it.
  private let lock = Lock()
  @exclusivity(unchecked) private var dust: Dust?

  /// Observes on any queue.
  ///
  /// - Parameter subscribe: Subscribes the closure that is passed to it.
  static func observe<Target: AnyObject & Sendable, Value>(
    for target: Target,
    changes: @escaping @Sendable (Target, Value) -> Void,
    subscribe: (@escaping @Sendable (Value) -> Void) -> Dust
  ) -> Dust {
    attach(to: target) { observation in
      subscribe { [weak target] value in
        guard let target else { return observation.end() }
        changes(target, value)
      }
    }
  }

  /// Observes on the main actor, so the target doesn't have to be `Sendable`.
  @MainActor static func observeOnMain<Target: AnyObject, Value>(
    for target: Target,
    changes: @escaping @MainActor @Sendable (Target, Value) -> Void,
    subscribe: (@escaping @MainActor @Sendable (Value) -> Void) -> Dust
  ) -> Dust {
    attach(to: target) { observation in
      subscribe { [weak target] value in
        guard let target else { return observation.end() }
        changes(target, value)
      }
    }
  }

  private static func attach(to target: AnyObject, _ body: (ScopedObservation) -> Dust) -> Dust {
    // The target exists until the Dust is set. So if a call finds no target, the Dust is set.
    withExtendedLifetime(target) {
      let observation = ScopedObservation()
      let dust = body(observation)
      observation.lock.withLock { observation.dust = dust }
      return dust
    }
  }

  private func end() { lock.withLock { dust }?.clean() }
}

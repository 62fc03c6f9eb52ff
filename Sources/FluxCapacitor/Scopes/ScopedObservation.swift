/// Ties an observation to an object: the observer is called only while the object exists, and the
/// first change after that ends the observation, from inside the call.
///
/// The Dust and this retain each other, through the closure, until that is released with the
/// observation.
final class ScopedObservation: @unchecked Sendable {
  // `dust` is guarded by `lock`, because another thread may call the observer before it is set.
  private let lock = Lock()
  @exclusivity(unchecked) private var dust: Dust?

  /// Observes on any queue.
  ///
  /// - Parameter subscribe: Subscribes the closure that it is called with.
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

  /// Observes on the main actor, where the target and the closure needn't be `Sendable`.
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
    // The target exists until the Dust is set, so a call that finds it gone finds the Dust.
    withExtendedLifetime(target) {
      let observation = ScopedObservation()
      let dust = body(observation)
      observation.lock.withLock { observation.dust = dust }
      return dust
    }
  }

  private func end() { lock.withLock { dust }?.clean() }
}

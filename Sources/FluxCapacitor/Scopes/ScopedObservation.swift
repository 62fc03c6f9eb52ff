/// Ends an observation after the observation's target object is deallocated.
///
/// The observer is called only while the target exists. If a call finds that the target is deallocated, the
/// call ends the observation.
///
/// A `ScopedObservation` and its ``Dust`` retain each other, because the observer's closure captures the
/// `ScopedObservation`. Ending the observation releases the closure, which breaks this cycle.
final class ScopedObservation: @unchecked Sendable {
  // Another thread can call the observer before `dust` is set, so `lock` guards `dust`.
  private let lock = Lock()
  private var dust: Dust?

  /// Subscribes `changes` on any queue until `target` is deallocated.
  ///
  /// - Parameter subscribe: A closure that subscribes the observer that it receives.
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

  /// Subscribes `changes` on the main actor, so `target` doesn't have to be `Sendable`.
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
    // The target exists until `dust` is set, so every call that finds no target finds the Dust.
    withExtendedLifetime(target) {
      let observation = ScopedObservation()
      let dust = body(observation)
      observation.lock.withLock { observation.dust = dust }
      return dust
    }
  }

  private func end() { lock.withLock { dust }?.clean() }
}

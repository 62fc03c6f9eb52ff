/// Ties an observation to an object: the observer is called while that is there, and the first change
/// after it is gone ends the observation, from inside the call.
///
/// The Dust and this hold each other, by way of the closure, until that is freed with the observation.
final class ScopedObservation: @unchecked Sendable {
  // `dust` is guarded by `lock`: a call may come, on another thread, before it is there.
  private let lock = Lock()
  @exclusivity(unchecked) private var dust: Dust?

  /// Observes on any queue.
  ///
  /// - Parameter subscribe: Is given what is to be called with each value.
  static func observe<Target: AnyObject & Sendable, Value>(
    for target: Target,
    changes: @escaping @Sendable (Target, Value) -> Void,
    subscribe: (@escaping @Sendable (Value) -> Void) -> Dust
  ) -> Dust {
    // Whoever finds the target gone finds the Dust, for until then the target stays.
    withExtendedLifetime(target) {
      let observation = ScopedObservation()
      return observation.tie(
        subscribe { [weak target] value in
          guard let target else { return observation.cut() }
          changes(target, value)
        }
      )
    }
  }

  /// Observes on the main actor, where what isn't `Sendable` may be held and called.
  @MainActor
  static func observeOnMain<Target: AnyObject, Value>(
    for target: Target,
    changes: @escaping @MainActor @Sendable (Target, Value) -> Void,
    subscribe: (@escaping @MainActor @Sendable (Value) -> Void) -> Dust
  ) -> Dust {
    withExtendedLifetime(target) {
      let observation = ScopedObservation()
      return observation.tie(
        subscribe { [weak target] value in
          guard let target else { return observation.cut() }
          changes(target, value)
        }
      )
    }
  }

  private func tie(_ dust: Dust) -> Dust {
    lock.withLock { self.dust = dust }
    return dust
  }

  private func cut() {
    lock.withLock { dust }?.clean()
  }
}

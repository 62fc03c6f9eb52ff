/// Notes whether an observer is called after a clean of its Dust has returned.
///
/// The scheduler can't switch threads between the start of a call and the first action in that call. Scenarios
/// that look for late calls therefore explore every schedule.
final class LateCall: Sendable {
  private let hasReturned = Flag()
  private let isLate = Flag()

  var hasHappened: Bool { isLate.isSet }

  /// Calls a closure that cleans the Dust. From then on, each call of the observer is late.
  func watch(after clean: () -> Void) {
    clean()
    hasReturned.set()
  }

  /// The observer calls this method.
  func note() {
    if hasReturned.isSet { isLate.set() }
  }
}

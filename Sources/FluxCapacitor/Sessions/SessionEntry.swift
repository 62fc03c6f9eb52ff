extension Sessions {
  /// The session of a key, from its first use until its close has ended.
  ///
  /// The lock of the `Sessions` guards all variables.
  final class Entry: @unchecked Sendable {
    enum State {
      case opening
      case open(Session)
      case closing(Session)
      case failedToOpen(any Error)
    }

    let id: ID
    let dispatcher = Dispatcher()
    var state = State.opening

    /// The number of callers that use the session, or wait until it's open.
    var uses = 1

    /// Waits for the rest of the idle time. The end of each use replaces this closure, and the timer takes it.
    var pause: (@Sendable () async -> Void)?

    /// The task that waits for the end of the idle time.
    var timer: Task<Void, Never>?

    /// Whether the session must be closed as soon as its uses have ended.
    var isOver = false

    /// The observation that sets `isOver`, from before the session is open until its close.
    var dust: Dust?

    /// Whether the last close has failed.
    var closeHasFailed = false

    /// Waits until a second after the last close, if that close has failed.
    var pauseBeforeRetry: (@Sendable () async -> Void)?

    /// The callers that wait until the state changes.
    var waiters = Waiters()

    init(id: ID) { self.id = id }

    deinit { dust?.clean() }
  }
}

/// Opens a session for each key on demand, and closes it after its last use.
///
/// On a server, each customer, document or game can have a session: stores and actions with their own dispatcher. A
/// `Sessions` opens a session when the first request for its key arrives, and closes it when no request has used it for
/// some time:
///
/// ```swift
/// let rooms = Sessions<String, Room>(idle: .seconds(60)) { name, dispatcher in
///   try await Room(name, on: dispatcher)
/// } close: { room in
///   try await room.save()
/// }
/// let topic = try await rooms.with("general") { room in room.topic.value }
/// ```
///
/// - A key has at most one session at any time. While a session is being closed, its key isn't opened again.
/// - While `open`, `close` or the closure of ``with(_:isolation:_:)`` runs, ``Dispatcher/shared`` is the session's
///   dispatcher.
/// - Soon after its close, a session is released together with its dispatcher.
///
/// You can use a `Sessions` on any thread. If you release it, it still closes each session after its last use and the idle
/// time.
public final class Sessions<ID: Hashable & Sendable, Session: Sendable>: @unchecked Sendable {
  /// The keys of the open sessions, in the order in which they were opened.
  ///
  /// A session counts as open until its close has ended. Observers on `.current` are called on a background thread.
  public let ids: Constant<[ID]>

  /// The errors of the sessions that could not be closed.
  ///
  /// These sessions are still open, and you can use them. The next attempt to close one of them follows after the idle
  /// time, but not more often than once a second, and each time that you call ``shutDown()``.
  public let failures: Constant<[ID: any Error]>

  /// The open sessions' keys. A table removes one of many keys without a look at all others.
  let openKeys = VariableTable<OpenKey>()
  let closeFailures = Variable<[ID: any Error]>([:])

  let idle: Duration
  let clock: any Clock<Duration>
  let open: @Sendable (ID, Dispatcher) async throws -> Session
  let close: @Sendable (Session) async throws -> Void
  let isOver: (@Sendable (Session) -> Constant<Bool>)?

  struct OpenKey: Identifiable, Sendable {
    let id: ID
  }

  // `lock` guards the variables below, and the variables of each entry.
  let lock = Lock()
  var entries: [ID: Entry] = [:]
  var isShutDown = false

  /// Creates an object that opens and closes sessions.
  ///
  /// > Warning: Before a session is closed, its effects and its tasks in bags must have ended. So a session with an effect
  /// that never ends is never closed. `open` and `close` must not use the session of the same key: they would wait for
  /// themselves forever.
  ///
  /// - Parameters:
  ///   - idle: The time from the end of a session's last use to its close.
  ///   - clock: The clock that measures the idle time.
  ///   - open: Creates a key's session. Its stores and actions use the dispatcher that the closure receives. The closure
  ///     runs once for each session, however many callers wait for it. Cancelling a caller doesn't cancel the closure, and
  ///     the closure doesn't see the callers' task-local values.
  ///   - close: Ends a session, for example by saving it. The closure runs after the session's last use, and after its
  ///     dispatcher's ``Dispatcher/settled()``. If it throws an error, the session stays open.
  ///   - isOver: Returns a constant that becomes true when the session must not be used any more. The session is then closed
  ///     as soon as its uses have ended, without the idle time, and later uses wait for a new session. If `close` fails, it's
  ///     tried again after a second. So don't use a session inside another use of the same key: if it's over, the inner use
  ///     waits for the outer one forever. The closure runs once, after `open`.
  public init(
    idle: Duration,
    clock: any Clock<Duration> = ContinuousClock(),
    open: @escaping @Sendable (_ id: ID, _ dispatcher: Dispatcher) async throws -> Session,
    close: @escaping @Sendable (_ session: Session) async throws -> Void = { _ in },
    isOver: (@Sendable (_ session: Session) -> Constant<Bool>)? = nil
  ) {
    self.idle = idle
    self.clock = clock
    self.open = open
    self.close = close
    self.isOver = isOver
    ids = openKeys.ids
    failures = Constant(closeFailures)
  }

  /// Calls a closure with a key's session, and keeps the session open until the closure returns.
  ///
  /// If the session isn't open, the method opens it. If it is being closed, the method waits until the close has ended, and
  /// opens a new one. A long use, such as a stream of events, keeps the session open.
  ///
  /// - Parameters:
  ///   - id: The key of the session.
  ///   - isolation: The actor on which the closure runs, which is the caller's actor by default.
  ///   - body: Receives the session. Don't use the session after the closure has returned.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error; the error of `open`, after which the next call tries again; ``SessionsError/shutDown``;
  ///   or `CancellationError` if the calling task is cancelled before the session is open.
  @discardableResult public func with<Result>(
    _ id: ID,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ session: Session) async throws -> Result
  ) async throws -> Result {
    let entry = try await beginUse(of: id)
    defer { endUse(of: entry) }
    let session = try await session(of: entry)
    return try await withDispatcher(entry.dispatcher) { try await body(session) }
  }

  /// Refuses new uses, waits for the uses in progress, and closes all sessions.
  ///
  /// Each session is closed immediately after its last use. If a close fails, it isn't repeated until you call this method
  /// again.
  ///
  /// > Warning: Don't await this method while you use a session, because it would wait for that use.
  ///
  /// - Returns: The errors of the sessions that could not be closed. If the calling task is cancelled, the method returns
  ///   early, while sessions are still being closed.
  @discardableResult public func shutDown() async -> [ID: any Error] {
    // A session that closes later wakes this method only once, so many failures don't take quadratic time.
    for id in beginShutDown() { await waitForClose(of: id) }
    return closeFailures.value
  }
}

/// The error for a use that a ``Sessions`` refuses.
public enum SessionsError: Error, Hashable {
  /// ``Sessions/shutDown()`` was called before the use.
  case shutDown
}

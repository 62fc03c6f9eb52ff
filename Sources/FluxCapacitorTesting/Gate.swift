import FluxCapacitor

/// Holds asynchronous work at a chosen point until a test lets it continue.
///
/// Use a gate to control in which order two answers arrive, or to look at a store while a request is under way:
///
/// ```swift
/// let gate = Gate()
/// let work = Task {
///   await gate.pass()
///   return "done"
/// }
/// await gate.reached()
/// gate.open()
/// #expect(await work.value == "done")
/// ```
public final class Gate: @unchecked Sendable {
  // `lock` guards `isOpen` and `held`.
  private let lock = Lock()
  private var isOpen = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private let arrivals = Recording<Void>()

  /// Creates a closed gate.
  public init() {}

  /// Opens the gate. The work at the gate continues, and work that arrives later passes without waiting.
  public func open() {
    let held = lock.withLock {
      isOpen = true
      defer { self.held = [] }
      return self.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until the gate is open. Call this method in the asynchronous work.
  ///
  /// Cancelling the task doesn't end the wait. So the gate can play a server that ignores cancellation.
  public func pass(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      let isOpen = lock.withLock {
        if !self.isOpen { held.append(continuation) }
        return self.isOpen
      }
      arrivals.note(())
      if isOpen { continuation.resume() }
    }
  }

  /// Waits until work arrives at the gate. Call this method in the test. Each call waits for new arrivals, for which no
  /// earlier call has waited.
  ///
  /// - Parameters:
  ///   - count: The number of arrivals to wait for.
  ///   - limit: The maximum time to wait. If it runs out, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  public func reached(
    _ count: Int = 1,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID, filePath, line, column)
    _ = await arrivals.next(count, within: limit, orFailAt: place) { arrived in
      "arrivals at the gate: \(arrived.count) of \(count) came."
    }
  }
}

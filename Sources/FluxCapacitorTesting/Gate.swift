import FluxCapacitor

/// Holds asynchronous work at a chosen point until a test lets it continue.
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

  /// Lets all held work continue, and all work that arrives later.
  public func open() {
    let held = lock.withLock {
      isOpen = true
      defer { self.held = [] }
      return self.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until the gate is open; the work calls this.
  ///
  /// The gate holds a cancelled task too, like a server that doesn't know of the cancellation.
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

  /// Waits for arrivals at the gate that no earlier call has waited for; the test calls this.
  ///
  /// - Parameters:
  ///   - count: The number of arrivals to wait for.
  ///   - limit: How long to wait at most. When the time is up, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: by default, at the call.
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

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
  // All guarded by `lock`.
  private let lock = Lock()
  private var isOpen = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private let arrivals = Recording<Void>()

  /// Creates a closed gate.
  public init() {}

  /// Lets the held work continue, and any work that arrives later.
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
  /// It holds a cancelled task too, as a server would that doesn't know of the cancellation.
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

  /// Waits until work that no earlier call has waited for arrives at the gate; the test calls this.
  ///
  /// - Parameters:
  ///   - count: How many arrivals to wait for.
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
      "\(count) to come to the gate, and \(arrived.count) came."
    }
  }
}

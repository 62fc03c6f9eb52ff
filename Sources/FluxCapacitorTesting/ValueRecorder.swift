import FluxCapacitor

/// Records every value of a variable, a constant or a signal, in order.
///
/// ```swift
/// let store = CounterStore.instantiate()
/// let recorder = ValueRecorder(store.count)
/// CounterAction().increment()
/// #expect(recorder.values == [0, 1])
/// ```
///
/// A recorder observes from its creation until its deallocation. You can use it on any thread.
public final class ValueRecorder<Value: Sendable>: Sendable {
  private let recording: Recording<Value>
  private let name: String
  private let dust: Dust

  /// Creates a recorder for the current value of a variable or a constant, and for every later change.
  ///
  /// - Parameters:
  ///   - value: The variable or constant. The recorder keeps only a derived constant alive.
  ///   - ignoreFirst: Whether the recorder skips the current value.
  public init<Trait>(_ value: PrimitiveValue<Trait, Value>, ignoreFirst: Bool = false) {
    let recording = Recording<Value>()
    self.recording = recording
    name = "\(value.isConstant ? "Constant" : "Variable")<\(Value.self)>"
    dust = value.observe(ignoreFirst: ignoreFirst) { recording.note($0) }
  }

  /// Creates a recorder for every later event of a signal.
  public init(_ signal: Signal<Value>) {
    let recording = Recording<Value>()
    self.recording = recording
    name = "a Signal<\(Value.self)>"
    dust = signal.observe { recording.note($0) }
  }

  deinit {
    dust.clean()
  }

  /// The values that the recorder has recorded so far.
  public var values: [Value] { recording.all }

  /// Waits for the next values, and returns the oldest ones that no earlier call has returned.
  ///
  /// ```swift
  /// let recorder = ValueRecorder(store.count)
  /// CounterAction().increment()
  /// #expect(await recorder.next(2) == [0, 1])
  /// ```
  ///
  /// The first value of a new recorder is the current one, unless the recorder ignores it.
  ///
  /// - Parameters:
  ///   - count: The number of values to wait for.
  ///   - limit: The maximum time to wait. If it runs out, or the task is cancelled, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: The next values, which are fewer than `count` if the time ran out or the task was cancelled.
  @discardableResult
  public func next(
    _ count: Int = 1,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> [Value] {
    let place = Place(fileID, filePath, line, column)
    return await recording.next(count, within: limit, orFailAt: place) { values in
      missing(count, of: name, came: values.map(shown))
    }
  }
}

/// Returns the second half of a sentence about values that have not arrived in time.
func missing(_ count: Int, of name: String, came: [String]) -> String {
  let wanted = "the next \(count) of \(name), but"
  if came.isEmpty { return "\(wanted) none came." }
  return "\(wanted) only \(came.count) came:" + came.map { "\n  \($0)" }.joined()
}

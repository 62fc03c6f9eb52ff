import FluxCapacitor

/// Records every value of a variable, a constant or a signal, in order.
///
/// A recorder observes from its creation until it is deallocated. You can use it on any thread.
///
/// ```swift
/// let store = CounterStore.instantiate()
/// let recorder = ValueRecorder(store.count)
/// CounterAction().increment()
/// #expect(recorder.values == [0, 1])
/// ```
public final class ValueRecorder<Value: Sendable>: Sendable {
  private let recording: Recording<Value>
  private let name: String
  private let dust: Dust

  /// Creates a recorder of the current value of a variable or a constant, and of every later
  /// change.
  ///
  /// - Parameters:
  ///   - value: The variable or constant. The recorder doesn't keep it alive.
  ///   - ignoreFirst: Whether to skip the current value.
  public init<Trait>(_ value: PrimitiveValue<Trait, Value>, ignoreFirst: Bool = false) {
    let recording = Recording<Value>()
    self.recording = recording
    name = "\(value.isConstant ? "Constant" : "Variable")<\(Value.self)>"
    dust = value.observe(ignoreFirst: ignoreFirst) { recording.note($0) }
  }

  /// Creates a recorder of every later event of a signal.
  public init(_ signal: Signal<Value>) {
    let recording = Recording<Value>()
    self.recording = recording
    name = "a Signal<\(Value.self)>"
    dust = signal.observe { recording.note($0) }
  }

  deinit {
    dust.clean()
  }

  /// The values recorded so far.
  public var values: [Value] { recording.all }

  /// Waits for the next values that no earlier call has returned.
  ///
  /// ```swift
  /// let recorder = ValueRecorder(store.count)
  /// CounterAction().increment()
  /// #expect(await recorder.next(2) == [0, 1])
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of values to wait for.
  ///   - limit: How long to wait at most. When the time is up, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: by default, at the call.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: The values. There are fewer than `count` if the time was up, or the task was
  ///   cancelled.
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

/// Returns the rest of a sentence about values that have not come in time.
func missing(_ count: Int, of name: String, came: [String]) -> String {
  let wanted = "the next \(count) of \(name), but"
  if came.isEmpty { return "\(wanted) none came." }
  return "\(wanted) only \(came.count) came:" + came.map { "\n  \($0)" }.joined()
}

import FluxCapacitor

/// Records the states of all types that a dispatcher reduces, in order.
///
/// ```swift
/// let recorder = DispatchRecorder()
/// CounterAction().increment()
/// #expect(recorder.states(of: Dispatcher.Counter.self).count == 1)
/// ```
///
/// A state is in the list as soon as its reduce has ended, even if it reaches no store. You can use a recorder on any
/// thread.
public final class DispatchRecorder: Sendable {
  private let recording: Recording<any DispatchState>
  private let dust: Dust

  /// Creates a recorder that records each state whose reduce begins after this call.
  public init(_ dispatcher: Dispatcher = .shared) {
    let recording = Recording<any DispatchState>()
    self.recording = recording
    dust = dispatcher.addHook { recording.note($0.state) }
  }

  deinit {
    dust.clean()
  }

  /// The states that the recorder has recorded so far.
  public var states: [any DispatchState] { recording.all }

  /// Returns the states of one type that the recorder has recorded so far.
  public func states<State: DispatchState>(of _: State.Type) -> [State] {
    states.compactMap { $0 as? State }
  }

  /// Waits for the next states, and returns the oldest ones that no earlier call has returned.
  ///
  /// - Parameters:
  ///   - count: The number of states to wait for.
  ///   - limit: The maximum time to wait. If it runs out, or the task is cancelled, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: The next states, which are fewer than `count` if the time ran out or the task was cancelled.
  @discardableResult
  public func next(
    _ count: Int = 1,
    within limit: Duration = .seconds(30),
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async -> [any DispatchState] {
    let place = Place(fileID, filePath, line, column)
    return await recording.next(count, within: limit, orFailAt: place) { states in
      missing(count, of: "the dispatched states", came: states.map(shownState))
    }
  }
}

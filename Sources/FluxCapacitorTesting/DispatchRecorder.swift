import FluxCapacitor

/// Records every state that a dispatcher reduces, of any type, in order.
///
/// A state is recorded when its reduce has ended, even if it reaches no store. You can use a
/// recorder on any thread.
///
/// ```swift
/// let recorder = DispatchRecorder()
/// CounterAction().increment()
/// #expect(recorder.states(of: Dispatcher.Counter.self).count == 1)
/// ```
public final class DispatchRecorder: Sendable {
  private let recording: Recording<any DispatchState>
  private let dust: Dust

  /// Creates a recorder of the states whose reduce begins after this call.
  public init(_ dispatcher: Dispatcher = .shared) {
    let recording = Recording<any DispatchState>()
    self.recording = recording
    dust = dispatcher.addHook { recording.note($0.state) }
  }

  deinit {
    dust.clean()
  }

  /// The states recorded so far.
  public var states: [any DispatchState] { recording.all }

  /// Returns the states of one type recorded so far.
  public func states<State: DispatchState>(of _: State.Type) -> [State] {
    states.compactMap { $0 as? State }
  }

  /// Waits for the next states that no earlier call has returned.
  ///
  /// - Parameters:
  ///   - count: The number of states to wait for.
  ///   - limit: How long to wait at most. When the time is up, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: by default, at the call.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  /// - Returns: The states. There are fewer than `count` if the time was up, or the task was
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
  ) async -> [any DispatchState] {
    let place = Place(fileID, filePath, line, column)
    return await recording.next(count, within: limit, orFailAt: place) { states in
      missing(count, of: "the dispatched states", came: states.map(shownState))
    }
  }
}

import FluxCapacitor

/// Records every state that a dispatcher reduces, of whatever type, in order.
///
/// A state is recorded when its reduce has ended, also one that reaches no store. It may be used on
/// any thread.
///
/// ```swift
/// let recorder = DispatchRecorder()
/// CounterAction().increment()
/// #expect(recorder.states(of: Dispatcher.Counter.self).count == 1)
/// ```
public final class DispatchRecorder: Sendable {
  private let recording: Recording<any DispatchState>
  private let dust: Dust

  /// Records the states whose reduce begins from now on.
  public init(_ dispatcher: Dispatcher = .shared) {
    let recording = Recording<any DispatchState>()
    self.recording = recording
    dust = dispatcher.add(Witness { recording.note($0.state) })
  }

  deinit {
    dust.clean()
  }

  /// The states by now.
  public var states: [any DispatchState] { recording.all }

  /// The states of one type by now.
  public func states<State: DispatchState>(of _: State.Type) -> [State] {
    states.compactMap { $0 as? State }
  }

  /// Waits for the next states: those that no earlier call has returned.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - limit: How long to wait at most. When the time is up, the test fails.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: at the call.
  ///   - filePath: The same.
  ///   - line: The same.
  ///   - column: The same.
  /// - Returns: The states; fewer than asked for if the time was up, or the task cancelled.
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
      missing(count, of: "the states", came: states.map(shownState))
    }
  }
}

import FluxCapacitor

/// Remembers the changes of a dispatcher's dispatches, and goes back and forth between them.
///
/// ```swift
/// let store = CounterStore.instantiate()
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// circuits.undo()
/// print(store.count.value)  // 0
/// circuits.redo()
/// print(store.count.value)  // 1
/// ```
///
/// Each step sets all variables in one transaction, so observers are called once. If you dispatch a
/// state after going back, a new future begins, and the previous future is forgotten. You can use
/// time circuits on any thread, and inside an observer.
///
/// A step sets the variables that the dispatch has changed in the stores that it reached. It sets
/// them back to their values before the dispatch, or forward to their values after it. A change
/// outside a dispatch, or in a store that the dispatch didn't reach, is not a step of its own. It
/// stays until a step sets the same variable. Variables of stores that no longer exist are left
/// out.
public final class TimeCircuits: Sendable {
  /// The limits of the memory. Dispatches beyond them are forgotten, the oldest first.
  public struct Limits: Sendable {
    /// The largest number of dispatches.
    public var count: Int

    /// The largest size of their states and values in bytes, as far as it is known. The contents of
    /// objects don't count.
    public var bytes: Int

    /// Creates limits: by default, 10,000 dispatches and 64 MB.
    public init(count: Int = 10_000, bytes: Int = 64_000_000) {
      self.count = count
      self.bytes = bytes
    }
  }

  let dispatcher: Dispatcher
  let history: History
  private let dust: Dust

  /// Creates time circuits that remember the dispatches whose reduce begins after this call.
  public init(_ dispatcher: Dispatcher = .shared, limits: Limits = Limits()) {
    let history = History(limits)
    self.dispatcher = dispatcher
    self.history = history
    dust = dispatcher.addHook(wantingChanges: true) { history.note($0) }
  }

  deinit {
    dust.clean()
  }

  /// The remembered dispatches, the oldest first: the past, followed by the future.
  public var events: [DispatchEvent] { history.events }

  /// The number of ``events`` in the past: all of them, unless you have gone back.
  public var position: Int { history.position }

  /// Goes back by one dispatch.
  ///
  /// - Returns: The dispatch, or `nil` if none in the past is remembered.
  @discardableResult
  public func undo() -> DispatchEvent? {
    defer { history.tellListeners() }
    return dispatcher.transaction { history.move(by: -1) }
  }

  /// Goes forward by one dispatch.
  ///
  /// - Returns: The dispatch, or `nil` if there is none in the future.
  @discardableResult
  public func redo() -> DispatchEvent? {
    defer { history.tellListeners() }
    return dispatcher.transaction { history.move(by: 1) }
  }

  /// Goes back or forward until a given number of ``events`` are in the past, or to the last event
  /// if there are fewer.
  ///
  /// - Returns: The position that was reached.
  @discardableResult
  public func travel(to position: Int) -> Int {
    travel { _ in position }
  }

  /// Finds a position and goes there. No dispatch can come in between.
  func travel(to find: (History) -> Int) -> Int {
    defer { history.tellListeners() }
    return dispatcher.transaction {
      let position = find(history)
      while history.position > max(0, position), history.move(by: -1) != nil {}
      while history.position < position, history.move(by: 1) != nil {}
      return history.position
    }
  }
}

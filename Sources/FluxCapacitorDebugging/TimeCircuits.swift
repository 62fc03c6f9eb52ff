import FluxCapacitor

/// Remembers what the dispatches of a dispatcher have changed, and goes back and forth in it.
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
/// Each step sets all variables in one transaction: observers are told once. What is dispatched in the
/// past begins another future, and the one before is forgotten. It may be used on any thread, also inside an
/// observer.
///
/// A step sets the variables that the dispatch has changed in the stores that it reached, back to what they
/// were before it, or forth to what they were after it. What is set outside a dispatch, or in a store that
/// it did not reach, is no step of its own, and stays as it is until a step sets the same variable. Variables
/// of stores that are gone are left out.
public final class TimeCircuits: Sendable {
  /// How much is remembered; what is older is forgotten.
  public struct Limits: Sendable {
    /// How many dispatches.
    public var count: Int

    /// How many bytes their states and values take up, as far as that can be told: what is in objects is not.
    public var bytes: Int

    /// Some limits; by default, 10,000 dispatches and 64 MB.
    public init(count: Int = 10_000, bytes: Int = 64_000_000) {
      self.count = count
      self.bytes = bytes
    }
  }

  let dispatcher: Dispatcher
  private let history: History
  private let dust: Dust

  /// Remembers the dispatches whose reduce begins from now on.
  public init(_ dispatcher: Dispatcher = .shared, limits: Limits = Limits()) {
    let history = History(limits)
    self.dispatcher = dispatcher
    self.history = history
    dust = dispatcher.add(Witness(ofChanges: true) { history.note($0) })
  }

  deinit {
    dust.clean()
  }

  /// The dispatches that are remembered, the oldest first: those of the past, and behind them those of
  /// the future.
  public var events: [DispatchEvent] { history.events }

  /// How many of ``events`` are in the past: all of them, unless one has gone back.
  public var position: Int { history.position }

  /// Goes back by one dispatch.
  ///
  /// - Returns: The dispatch; nil if none is remembered that is in the past.
  @discardableResult
  public func undo() -> DispatchEvent? {
    dispatcher.transaction { history.move(by: -1) }
  }

  /// Goes forth by one dispatch.
  ///
  /// - Returns: The dispatch; nil if none is in the future.
  @discardableResult
  public func redo() -> DispatchEvent? {
    dispatcher.transaction { history.move(by: 1) }
  }

  /// Goes to where so many of ``events`` are in the past; further than there are any, to the last one.
  ///
  /// - Returns: The position that was reached.
  @discardableResult
  public func travel(to position: Int) -> Int {
    dispatcher.transaction {
      while history.position > max(0, position), history.move(by: -1) != nil {}
      while history.position < position, history.move(by: 1) != nil {}
      return history.position
    }
  }
}

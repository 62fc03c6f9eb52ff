import FluxCapacitor

/// Remembers the dispatches of a dispatcher, and undoes and redoes their changes.
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
/// An undo sets the variables that a dispatch changed back to their values before the dispatch. A redo sets them to their
/// values after it. Each undo or redo is one transaction, so each observer is called once. If you dispatch a state after an
/// undo, the undone dispatches are forgotten. You can use a `TimeCircuits` on any thread, and inside an observer. Undoing or
/// redoing inside a reduce traps.
///
/// If an observer invokes a state because of an undo or a redo, the history doesn't change, because it already contains the
/// states that observers invoked before:
///
/// - A state that an observer invokes on the thread of the undo isn't dispatched. An observer on `.main` is called on that
///   thread if you undo on the main queue.
/// - A state that an observer invokes later is dispatched, but isn't remembered: on a queue, on another thread that is
///   calling the observer already, or after the observer in which you undo. This holds until all pending calls of the
///   dispatcher's observers have ended, or until code outside of an observer dispatches a state. Meanwhile, a state that an
///   observer invokes for another reason isn't remembered either.
///
/// > Warning: A task that an observer starts isn't recognized. If it invokes a state, the undone dispatches are forgotten.
///
/// A table is one variable, whose rows are restored together. A `TimeCircuits` doesn't see variables inside another
/// variable's value.
///
/// Changes outside of a dispatch, or in stores that the dispatch didn't reach, aren't remembered. They stay until an undo
/// or a redo sets the same variable. Undo and redo skip the variables of stores that no longer exist.
public final class TimeCircuits: Sendable {
  /// Limits what a history remembers. Beyond a limit, the oldest dispatches are forgotten.
  public struct Limits: Sendable {
    /// The largest number of remembered dispatches.
    public var count: Int

    /// The largest estimated size of the remembered states and values, in bytes, without the contents of objects.
    public var bytes: Int

    /// Creates limits, which are 10,000 dispatches and 64 MB by default.
    public init(count: Int = 10_000, bytes: Int = 64_000_000) {
      self.count = count
      self.bytes = bytes
    }
  }

  let dispatcher: Dispatcher
  let history: History
  private let dust: Dust

  /// Creates a history of every dispatch whose reduce starts after this call.
  public init(_ dispatcher: Dispatcher = .shared, limits: Limits = Limits()) {
    let history = History(limits)
    self.dispatcher = dispatcher
    self.history = history
    dust = dispatcher.addHook(receiving: .changes) { history.note($0) }
  }

  deinit {
    dust.clean()
  }

  /// The remembered dispatches, from oldest to newest, including undone dispatches.
  public var events: [DispatchEvent] { history.events }

  /// The number of ``events`` that are not undone.
  public var position: Int { history.position }

  /// Undoes the latest dispatch that isn't undone yet.
  ///
  /// - Returns: The undone dispatch, or `nil` if there is none to undo.
  @discardableResult
  public func undo() -> DispatchEvent? {
    history.travel(on: dispatcher) { history.move(by: -1) }
  }

  /// Redoes the first undone dispatch.
  ///
  /// - Returns: The redone dispatch, or `nil` if no dispatch is undone.
  @discardableResult
  public func redo() -> DispatchEvent? {
    history.travel(on: dispatcher) { history.move(by: 1) }
  }

  /// Undoes or redoes dispatches until ``position`` has a given value.
  ///
  /// If the value is larger than the count of ``events``, all dispatches are redone.
  ///
  /// - Returns: The new ``position``.
  @discardableResult
  public func travel(to position: Int) -> Int {
    travel { _ in position }
  }

  /// Finds a position and travels there, without a dispatch in between.
  func travel(to find: (History) -> Int) -> Int {
    history.travel(on: dispatcher) {
      let position = find(history)
      while history.position > max(0, position), history.move(by: -1) != nil {}
      while history.position < position, history.move(by: 1) != nil {}
      return history.position
    }
  }
}

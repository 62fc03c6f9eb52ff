/// A record of one dispatch: the state, the stores that reduced it, and the resulting changes.
///
/// Interceptors receive an event for each dispatch. See ``Dispatcher/intercept(changes:_:)``.
public struct DispatchEvent: Sendable {
  /// The dispatched state.
  public let state: any DispatchState

  /// The position of this dispatch among all intercepted dispatches, which starts at 1 and has no gaps.
  public let sequenceNumber: Int

  /// The types of the stores that reduced the state, in the order in which their reduces ended.
  public let stores: [any Storable.Type]

  /// The types of the stores that were created since the dispatcher's previous event, or since its first interceptor was
  /// added. The reduce itself can also create stores.
  ///
  /// This list and ``releasedStores`` are empty in the events of `intercept(changes: false)`.
  public var createdStores: [any Storable.Type] { storeChanges.filter(\.isCreation).map(\.store) }

  /// The types of the stores that were released or unregistered since the previous event. Their values are gone.
  public var releasedStores: [any Storable.Type] {
    storeChanges.filter { !$0.isCreation }.map(\.store)
  }

  var storeChanges: [RegisteredStores.Change]

  /// The changes to the stores' variables during the reduce.
  ///
  /// The changes are in the order of the stores and, within a store, in the order of its properties. They include other
  /// threads' changes during the reduce, and writes of equal values. The events of `intercept(changes: false)` have none.
  public var changes: [Change] { unsortedChanges.flatMap { $0.sortedByKeys(\.path) } }

  /// The changes to each store's variables, with the entries of each dictionary in any order. To sort or to name them runs
  /// code of the user, which may not run while a thread holds the dispatcher's turn.
  package internal(set) var unsortedChanges: [[Change]]

  /// The instant at which the reduce began.
  public let instant: ContinuousClock.Instant

  /// The wall-clock time at which the reduce began, as the duration since 00:00 UTC on 1 January 1970.
  public let wallClockTime: Duration

  /// The total time that the stores took to reduce the state.
  public let duration: Duration

  /// The module and the file in which the state was invoked, in the form `Module/File.swift`.
  public let fileID: StaticString

  /// The line at which the state was invoked.
  public let line: UInt

  /// The event for an interceptor that receives no changes.
  var withoutChanges: DispatchEvent {
    var event = self
    (event.unsortedChanges, event.storeChanges) = ([], [])
    return event
  }

  /// A change to one variable.
  public struct Change: Sendable {
    /// The type of the store to which the variable belongs.
    public let store: any Storable.Type

    /// The name of the store's property. If a constant publishes the variable, it's the constant's name.
    public var name: String { path.text }

    let path: VariablePath

    /// The variable's value before the reduce.
    public let oldValue: any Sendable

    /// The variable's value after the reduce.
    public let newValue: any Sendable

    /// The changed variable, or `nil` if the variable is deallocated.
    package weak let variable: (any AnyPrimitiveValue)?
  }
}

/// What the events of a hook contain besides the state. Each case includes the former ones.
package enum EventContent: Comparable, Sendable {
  case nothing, sequenceNumber, changes
}

/// A record of one dispatch: its state, the stores that reduced it, and the changes that they made.
///
/// ``Dispatcher/intercept(_:)`` calls interceptors with it.
public struct DispatchEvent: Sendable {
  /// The state that was dispatched.
  public let state: any DispatchState

  /// The number of this dispatch among all that were intercepted: 1, 2, 3 and so on, without gaps.
  public let sequenceNumber: Int

  /// The types of the stores that reduced the state, in the order in which their reduces ended.
  public let stores: [any Storable.Type]

  /// The variables of those stores that were written to during the reduce.
  ///
  /// They are in the order of the stores and, within a store, of its properties. What another
  /// thread sets during the reduce is among them.
  public let changes: [Change]

  /// When the reduce began.
  public let instant: ContinuousClock.Instant

  /// When the reduce began, by the wall clock: the time since the beginning of 1970, in UTC.
  public let wallClockTime: Duration

  /// How long it took all stores to reduce the state.
  public let duration: Duration

  /// The module and the file in which the state was invoked: `Module/File.swift`.
  public let fileID: StaticString

  /// The line at which the state was invoked.
  public let line: UInt

  /// A change of one variable.
  public struct Change: Sendable {
    /// The type of the store that the variable belongs to.
    public let store: any Storable.Type

    /// The name of the store's property: that of the constant which publishes the variable, if one
    /// does.
    public let name: String

    /// The value before the reduce.
    public let oldValue: any Sendable

    /// The value after the reduce.
    public let newValue: any Sendable

    /// The variable itself, if it still exists.
    package weak let variable: (any AnyPrimitiveValue)?
  }
}

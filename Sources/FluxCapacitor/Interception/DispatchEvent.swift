/// A record of one dispatch: its state, the stores that reduced it, and the changes that they made.
///
/// Interceptors receive it. See ``Dispatcher/intercept(_:)``.
public struct DispatchEvent: Sendable {
  /// The state that was dispatched.
  public let state: any DispatchState

  /// The position of this dispatch among all intercepted dispatches: 1, 2, 3 and so on, without gaps.
  public let sequenceNumber: Int

  /// The types of the stores that reduced the state, in the order in which their reduces ended.
  public let stores: [any Storable.Type]

  /// The changes to the stores' variables during the reduce.
  ///
  /// They are in the order of the stores and, within a store, in the order of its properties. They include
  /// writes by other threads during the reduce.
  public let changes: [Change]

  /// The instant at which the reduce began.
  public let instant: ContinuousClock.Instant

  /// The wall-clock time at which the reduce began, since the beginning of 1970, in UTC.
  public let wallClockTime: Duration

  /// The time that all stores together took to reduce the state.
  public let duration: Duration

  /// The module and the file in which the state was invoked: `Module/File.swift`.
  public let fileID: StaticString

  /// The line at which the state was invoked.
  public let line: UInt

  /// A change of one variable.
  public struct Change: Sendable {
    /// The type of the store that the variable belongs to.
    public let store: any Storable.Type

    /// The name of the store's property. If a constant publishes the variable, it is the constant's name.
    public let name: String

    /// The value before the reduce.
    public let oldValue: any Sendable

    /// The value after the reduce.
    public let newValue: any Sendable

    /// The variable itself, if it still exists.
    package weak let variable: (any AnyPrimitiveValue)?
  }
}

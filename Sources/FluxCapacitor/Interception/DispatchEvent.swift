/// What one dispatch did: which state, in which stores, with which changes.
///
/// It is what ``Dispatcher/intercept(_:)`` hands to an interceptor.
public struct DispatchEvent: Sendable {
  /// The state that was dispatched.
  public let state: any DispatchState

  /// The place of this dispatch among all that were intercepted: 1, 2, 3 and so on, without gaps.
  public internal(set) var sequenceNumber = 0

  /// The types of the stores that reduced the state, in the order in which their reduces ended.
  public let stores: [any Storable.Type]

  /// The variables of those stores that were written to in the course of the reduce, in the order of the
  /// stores and, within one, of its properties. What another thread sets just then is among them.
  public let changes: [Change]

  /// When the reduce began.
  public let instant: ContinuousClock.Instant

  /// When the reduce began by the clock on the wall: how long after the beginning of 1970, in UTC.
  public let wallClockTime: Duration

  /// How long it took all stores to reduce the state.
  public let duration: Duration

  /// The module and the file in which the state was invoked: `Module/File.swift`.
  public let fileID: StaticString

  /// The line at which the state was invoked.
  public let line: UInt

  /// The new value of one variable.
  public struct Change: Sendable {
    /// The type of the store that the variable belongs to.
    public let store: any Storable.Type

    /// The name of the store's property: of the constant that publishes the variable, if one does.
    public let name: String

    /// The value before the reduce.
    public let oldValue: any Sendable

    /// The value after it.
    public let newValue: any Sendable

    /// The variable itself, if it is still there.
    package weak let variable: (any AnyPrimitiveValue)?
  }
}

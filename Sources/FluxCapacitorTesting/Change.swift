import FluxCapacitor

/// A change that a ``StoreTester`` expects: a property, and its new value.
public struct Change<Store: Storable>: Sendable {
  enum Property: Sendable {
    case published(@Sendable (Store) -> any AnyPrimitiveValue)
    case named(String)
  }

  let property: Property
  let value: any Sendable
  let line: UInt

  /// Creates the change of a variable, or of a constant that publishes or derives from one.
  ///
  /// - Parameters:
  ///   - keyPath: The store's property.
  ///   - value: The expected new value. Values that aren't `Equatable` are compared part by part,
  ///     as `dump` shows them.
  ///   - line: Where a failure is reported: by default, at the call.
  public init<Trait, Value: Sendable>(
    _ keyPath: KeyPath<Store, PrimitiveValue<Trait, Value>> & Sendable,
    to value: Value,
    line: UInt = #line
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, value: value, line: line)
  }

  /// Returns the change of a variable that the store doesn't publish.
  ///
  /// - Parameters:
  ///   - name: The name of the store's property; for a variable in an array or a dictionary, with
  ///     its index or key, as in `counts[0]`.
  ///   - value: The expected new value. Values that aren't `Equatable` are compared part by part,
  ///     as `dump` shows them.
  ///   - line: Where a failure is reported: by default, at the call.
  public static func named(_ name: String, to value: some Sendable, line: UInt = #line) -> Change {
    Change(property: .named(name), value: value, line: line)
  }

  private init(property: Property, value: any Sendable, line: UInt) {
    self.property = property
    self.value = value
    self.line = line
  }
}

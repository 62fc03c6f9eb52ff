import FluxCapacitor

/// A change to a property of a store, which a ``StoreTester`` expects.
public struct Change<Store: Storable>: Sendable {
  enum Property: Sendable {
    case published(@Sendable (Store) -> any AnyPrimitiveValue)
    case named(String)
  }

  let property: Property
  let value: any Sendable
  let line: UInt

  /// Creates an expected change to a variable of the store, or to a constant that publishes a variable or
  /// derives from variables.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the variable or constant in the store.
  ///   - value: The expected new value. The tester compares values that aren't `Equatable` part by part, as
  ///     `dump` shows them.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public init<Trait, Value: Sendable>(
    _ keyPath: KeyPath<Store, PrimitiveValue<Trait, Value>> & Sendable,
    to value: Value,
    line: UInt = #line
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, value: value, line: line)
  }

  /// Creates an expected change to a table of the store.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the table in the store.
  ///   - rows: The expected rows. If the test fails, the message shows the differing rows.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public init<Trait, Row>(
    _ keyPath: KeyPath<Store, PrimitiveTable<Trait, Row>> & Sendable,
    to rows: [Row],
    line: UInt = #line
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, value: rows, line: line)
  }

  /// Returns an expected change to a variable that the store doesn't publish.
  ///
  /// - Parameters:
  ///   - name: The name of the store's property. For a variable in an array or a dictionary, the name
  ///     includes the index or the key, as in `counts[0]`.
  ///   - value: The expected new value. The tester compares values that aren't `Equatable` part by part, as
  ///     `dump` shows them.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public static func named(_ name: String, to value: some Sendable, line: UInt = #line) -> Change {
    Change(property: .named(name), value: value, line: line)
  }

  private init(property: Property, value: any Sendable, line: UInt) {
    self.property = property
    self.value = value
    self.line = line
  }
}

import FluxCapacitor

/// One change that a ``StoreTester`` expects: of which property, to which value.
public struct Change<Store: Storable>: Sendable {
  enum Property: Sendable {
    case published(@Sendable (Store) -> any AnyPrimitiveValue)
    case named(String)
  }

  let property: Property
  let value: any Sendable
  let line: UInt

  /// The change of a variable, or of a constant that publishes or derives from one.
  ///
  /// - Parameters:
  ///   - keyPath: The store's property.
  ///   - value: What it is expected to be afterwards. Values that are not Equatable are the same if
  ///     `dump` shows the same.
  public init<Trait, Value: Sendable>(
    _ keyPath: KeyPath<Store, PrimitiveValue<Trait, Value>> & Sendable,
    to value: Value,
    line: UInt = #line
  ) {
    property = .published { $0[keyPath: keyPath] }
    self.value = value
    self.line = line
  }

  /// The change of a variable that the store does not publish.
  ///
  /// - Parameters:
  ///   - name: The name of the store's property.
  ///   - value: What it is expected to be afterwards. Values that are not Equatable are the same if
  ///     `dump` shows the same.
  public init(_ name: String, to value: some Sendable, line: UInt = #line) {
    property = .named(name)
    self.value = value
    self.line = line
  }
}

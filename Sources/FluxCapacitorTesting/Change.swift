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

/// Lists the changes that a ``StoreTester`` expects, one a line.
@resultBuilder
public enum ChangesBuilder<Store: Storable> {
  public static func buildExpression(_ change: Change<Store>) -> [Change<Store>] { [change] }
  public static func buildBlock(_ changes: [Change<Store>]...) -> [Change<Store>] {
    changes.flatMap { $0 }
  }
  public static func buildOptional(_ changes: [Change<Store>]?) -> [Change<Store>] { changes ?? [] }
  public static func buildEither(first changes: [Change<Store>]) -> [Change<Store>] { changes }
  public static func buildEither(second changes: [Change<Store>]) -> [Change<Store>] { changes }
  public static func buildArray(_ changes: [[Change<Store>]]) -> [Change<Store>] {
    changes.flatMap { $0 }
  }
}

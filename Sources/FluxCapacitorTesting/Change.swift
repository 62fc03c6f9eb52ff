import FluxCapacitor

/// A change to a store's property, which a ``StoreTester`` expects.
public struct Change<Store: Storable>: Sendable {
  enum Property: Sendable {
    case published(@Sendable (Store) -> any AnyPrimitiveValue)
    case named(String)
  }

  let property: Property

  /// Returns the expected value, for the value before the change.
  let value: @Sendable (_ old: any Sendable) -> any Sendable
  let line: UInt

  /// Creates an expected change to a variable, or to a constant that publishes a variable or derives from variables.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the variable or constant in the store.
  ///   - value: The expected new value. The tester compares values that aren't `Equatable` part by part. A part that hides
  ///     its own parts, such as a `Secret`, must be `Equatable`.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public init<Trait, Value: Sendable>(
    _ keyPath: KeyPath<Store, PrimitiveValue<Trait, Value>> & Sendable,
    to value: Value,
    line: UInt = #line
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, value: value, line: line)
  }

  /// Creates an expected change to a table.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the table in the store.
  ///   - rows: The expected rows. If the test fails, the message shows the rows that differ.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public init<Trait, Row>(
    _ keyPath: KeyPath<Store, PrimitiveTable<Trait, Row>> & Sendable,
    to rows: [Row],
    line: UInt = #line
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, value: rows, line: line)
  }

  /// Creates an expected change to a part of a variable or a constant.
  ///
  /// The expected new value is the old value after the closure has changed it:
  ///
  /// ```swift
  /// Change(\.board) { $0.cards["milk"]?.title = "Oat milk" }
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the variable or constant in the store.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  ///   - update: Changes the old value into the expected new value. The tester calls this closure after the state or
  ///     the operation, maybe several times, so it must not have side effects.
  public init<Trait, Value: Sendable>(
    _ keyPath: KeyPath<Store, PrimitiveValue<Trait, Value>> & Sendable,
    line: UInt = #line,
    _ update: @escaping @Sendable (inout Value) -> Void
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, line: line, update: update)
  }

  /// Creates an expected change to a part of a table's rows.
  ///
  /// - Parameters:
  ///   - keyPath: The key path of the table in the store.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  ///   - update: Changes the old rows into the expected new rows. The tester calls this closure after the state or
  ///     the operation, maybe several times, so it must not have side effects.
  public init<Trait, Row>(
    _ keyPath: KeyPath<Store, PrimitiveTable<Trait, Row>> & Sendable,
    line: UInt = #line,
    _ update: @escaping @Sendable (inout [Row]) -> Void
  ) {
    self.init(property: .published { $0[keyPath: keyPath] }, line: line, update: update)
  }

  /// Returns an expected change to a variable that the store doesn't publish.
  ///
  /// - Parameters:
  ///   - name: The name of the store's property. If the variable is in an array or a dictionary, the name includes the
  ///     index or the key, as in `counts[0]`.
  ///   - value: The expected new value. The tester compares values that aren't `Equatable` part by part. A part that hides
  ///     its own parts, such as a `Secret`, must be `Equatable`.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  public static func named(_ name: String, to value: some Sendable, line: UInt = #line) -> Change {
    Change(property: .named(name), value: value, line: line)
  }

  /// Returns an expected change to a part of a variable that the store doesn't publish.
  ///
  /// ```swift
  /// Change.named("board", as: Board.self) { $0.cards["milk"]?.title = "Milk" }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the store's property.
  ///   - type: The type of the variable's value. If the value has a different type, the test fails.
  ///   - line: The location that a failure refers to, which is the location of the call by default.
  ///   - update: Changes the old value into the expected new value. The tester calls this closure after the state or
  ///     the operation, maybe several times, so it must not have side effects.
  public static func named<Value: Sendable>(
    _ name: String,
    as type: Value.Type,
    line: UInt = #line,
    _ update: @escaping @Sendable (inout Value) -> Void
  ) -> Change {
    Change(property: .named(name), line: line, update: update)
  }

  private init<Value: Sendable>(property: Property, value: Value, line: UInt) {
    self.property = property
    // A test that refers to an optional variable by its name can list a value that isn't optional.
    self.value = { old in
      if case .named = property, type(of: old) == Value?.self { Value?.some(value) } else { value }
    }
    self.line = line
  }

  private init<Value: Sendable>(
    property: Property,
    line: UInt,
    update: @escaping @Sendable (inout Value) -> Void
  ) {
    self.property = property
    value = { old in
      guard var value = old as? Value else { return WrongType(expected: Value.self) }
      update(&value)
      return value
    }
    self.line = line
  }
}

/// The expected value of a change with a closure that has a parameter of the wrong type.
private struct WrongType: Sendable, CustomStringConvertible {
  let expected: any Any.Type

  var description: String { "a value of the type \(expected)" }
}

/// A table of rows that you can read, change and observe.
public typealias VariableTable<Row: Identifiable & Sendable> =
  PrimitiveTable<MutableTrait, Row> where Row.ID: Sendable

/// A table of rows that you can read and observe, but not change.
///
/// ``PrimitiveTable/constant`` returns the read-only side of a ``VariableTable``, with the same rows and the
/// same observers.
public typealias ConstantTable<Row: Identifiable & Sendable> =
  PrimitiveTable<ImmutableTrait, Row> where Row.ID: Sendable

/// An ordered list of rows, each of which you can observe by itself.
///
/// Use a table instead of a ``Variable`` with an array if a screen shows each row in a view of its own. A
/// change of one row calls the observers of this row and of the whole table, and no other row's observers.
/// The number of rows doesn't affect the cost of changing one row in place. Inserting and removing a row is O(n), and
/// replacing all rows is O(n), or O(n log n) if rows move.
///
/// ```swift
/// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
/// let dust = cards.row(id: "milk").observe { print($0?.title ?? "No card") }  // Buy milk
/// cards[id: "milk"]?.title = "Buy oat milk"  // Buy oat milk
/// cards.append(Card(id: "bread", title: "Buy bread"))
/// cards.remove(id: "milk")  // No card
/// dust.clean()
/// ```
///
/// ``row(id:)``, ``ids`` and ``rows`` return constants, with the guarantees of ``PrimitiveValue``: one order,
/// one call for each transaction, and no lost change. When an observer of a row is called, the other rows
/// already have their values from the same transaction. You can use a table on any thread.
///
/// The table finds a row by the row's `id`, in O(1). The table calls `hash(into:)` and `==` of the id, and
/// `==` of the row, under a lock. So these methods must not use the table. A row must keep its id.
///
/// <doc:Tables> shows lists in SwiftUI and elsewhere.
public final class PrimitiveTable<Trait, Row: Identifiable & Sendable>: Sendable
where Row.ID: Sendable {
  @usableFromInline let table: TableChannel<Row>

  /// Creates a table from a channel. The new table owns one of the channel's handles.
  @inlinable init(sharing table: TableChannel<Row>) { self.table = table }

  @inlinable deinit {
    if Trait.self == MutableTrait.self { table.releaseReadOnlySide() }
    table.dropHandle()
  }

  /// The row with an id, or `nil` if the table contains no such row.
  ///
  /// SwiftUI and `withObservationTracking` track this read of a ``ConstantTable``, like a read of
  /// ``row(id:)``. Only a change of this row updates the view.
  ///
  /// - Complexity: O(1).
  @inlinable public subscript(id id: Row.ID) -> Row? {
    if table.isRowReadTracked { return row(id: id).value }
    return table.withLock { table.row(id) }
  }

  /// Returns a constant with the row that has an id, or with `nil` while the table contains no such row.
  ///
  /// The constant delivers a change when the row changes, appears or disappears. Removing the row doesn't
  /// end its observations: the observers are called again if a row with the same id appears.
  ///
  /// All constants of one row share its value and its observers. The table allocates the value when you
  /// first ask for the constant, and frees it when the row has neither constants nor observers.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// let title = cards.row(id: "milk").map { $0?.title ?? "" }
  /// print(title.value)  // Buy milk
  /// ```
  ///
  /// - Parameter id: The id of the row, which doesn't have to be in the table.
  /// - Complexity: O(1).
  @inlinable public func row(id: Row.ID) -> Constant<Row?> {
    table.constant { table.part(of: id) }
  }

  /// A constant with the ids of all rows, in their order. The constant delivers a change when rows appear,
  /// disappear or move.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// let dust = cards.ids.observe { print($0) }  // ["milk"]
  /// cards.append(Card(id: "bread", title: "Buy bread"))  // ["milk", "bread"]
  /// cards[id: "bread"]?.title = "Buy two loaves"
  /// dust.clean()
  /// ```
  ///
  /// - Complexity: O(1), and O(n) for the first time.
  @inlinable public var ids: Constant<[Row.ID]> { table.constant { table.partOfIDs() } }

  /// A constant with all rows, in their order. The constant delivers every change of the table.
  ///
  /// An observer that keeps the array makes the next change copy it. So keep an array only for as long as
  /// you need it.
  ///
  /// - Complexity: O(1).
  @inlinable public var rows: Constant<[Row]> {
    table.addHandle()
    return Constant(sharing: table)
  }
}

extension PrimitiveTable where Trait == ImmutableTrait {
  /// Creates a table that publishes the rows of a variable table.
  @inlinable public convenience init(_ table: VariableTable<Row>) {
    table.table.addHandle()
    self.init(sharing: table.table)
  }
}

extension PrimitiveTable: AnyPrimitiveValue {
  package var identity: ObjectIdentifier { ObjectIdentifier(table) }

  package var isDerived: Bool { false }

  package var sources: [ObjectIdentifier] { [] }

  package var isConstant: Bool { Trait.self == ImmutableTrait.self }

  package var anyValue: any Sendable { rows.value }

  package var snapshot: (version: Version, value: any Sendable) { rows.snapshot }

  package var observerCount: Int {
    table.withLock { table.parts }.reduce(table.observerCount) { $0 + $1.observerCount }
  }

  package func write(any value: any Sendable) {
    guard let rows = value as? [Row] else {
      trap("\(table) can't hold a value of type \(type(of: value)).")
    }
    // Two equal rows can differ in properties that `==` ignores, so `==` isn't used here.
    releaseAfterUnlocking((self, table.replaceAll(with: rows, isSame: areIdentical)))
  }

  package func observeAny(_ changes: @escaping @Sendable (any Sendable) -> Void) -> Dust {
    rows.observeAny(changes)
  }
}

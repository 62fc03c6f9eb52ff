/// A table of rows that you can read, change and observe. ``PrimitiveTable`` has the members.
public typealias VariableTable<Row: Identifiable & Sendable> =
  PrimitiveTable<MutableTrait, Row> where Row.ID: Sendable

/// A table of rows that you can read and observe, but not change. ``PrimitiveTable`` has the members.
///
/// ``PrimitiveTable/constant`` returns a ``VariableTable``'s read-only side, with the same rows and observers.
public typealias ConstantTable<Row: Identifiable & Sendable> =
  PrimitiveTable<ImmutableTrait, Row> where Row.ID: Sendable

/// An ordered list of rows, each of which you can observe by itself.
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
/// Use a table instead of a ``Variable`` with an array if a screen shows each row in its own view. A change of one row
/// calls the observers of this row and of the whole table, but no other row's observers. Changing a row in place takes the
/// same time in a table of any size. Inserting and removing a row is O(n). Replacing all rows is O(n), or O(n log n) if
/// rows move.
///
/// ``row(id:)``, ``ids`` and ``rows`` return constants, with the guarantees of ``PrimitiveValue``: one order, one call for
/// each transaction, and no lost change. When an observer of a row is called, the other rows already have their values from
/// the same transaction. You can use a table on any thread.
///
/// The table finds a row by its `id`, in O(1), and a row must keep its id. The id's `hash(into:)` and `==`, and the row's
/// `==`, are called under a lock, so they must not use the table.
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
  /// SwiftUI and `withObservationTracking` track this read of a ``ConstantTable``, like a read of ``row(id:)``. So a view
  /// that reads one row is updated only when this row changes.
  ///
  /// - Complexity: O(1).
  @inlinable public subscript(id id: Row.ID) -> Row? {
    if table.isRowReadTracked { return row(id: id).value }
    return table.withLock { table.row(id) }
  }

  /// Returns a constant with the row that has an id, or with `nil` while the table contains no such row.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// let title = cards.row(id: "milk").map { $0?.title ?? "" }
  /// print(title.value)  // Buy milk
  /// ```
  ///
  /// The constant delivers a change when the row changes, appears or disappears. Removing the row doesn't end its
  /// observations: if a row with the same id appears, the observers are called again.
  ///
  /// All constants of one row share its value and its observers. The table allocates the value when you first ask for the
  /// constant, and frees it when the row has neither constants nor observers.
  ///
  /// - Parameter id: The id of the row, which doesn't have to be in the table.
  /// - Complexity: O(1).
  @inlinable public func row(id: Row.ID) -> Constant<Row?> {
    table.constant { table.part(of: id) }
  }

  /// A constant with the ids of all rows, in their order. It delivers a change when rows appear, disappear or move.
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

  /// A constant with all rows, in their order. It delivers every change of the table.
  ///
  /// Don't keep the array for longer than you need it: if an observer keeps it, the next change has to copy it.
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

  package var hasBacklog: Bool { rows.hasBacklog }

  package var observerCount: Int {
    table.withLock { table.parts }.reduce(table.observerCount) { $0 + $1.observerCount }
  }

  package func write(any value: any Sendable) {
    guard let rows = value as? [Row] else {
      trap("\(table) can't hold a value of type \(type(of: value)).")
    }
    // Two equal rows can differ in properties that `==` ignores, so `==` isn't used here.
    releaseAfterUnlocking((self, table.replaceAll(with: rows, isSame: areCopies)))
  }

  package func observeAny(_ changes: @escaping @Sendable (any Sendable) -> Void) -> Dust {
    rows.observeAny(changes)
  }
}

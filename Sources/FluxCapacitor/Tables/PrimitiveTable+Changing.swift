extension PrimitiveTable where Trait == MutableTrait {
  /// Creates a table with initial rows.
  ///
  /// - Precondition: No two rows have the same id.
  /// - Complexity: O(n) in the number of rows.
  @inlinable public convenience init(_ rows: [Row] = []) {
    self.init(sharing: TableChannel(rows))
  }

  /// The read-only side of this table, with the same rows and the same observers.
  ///
  /// ```swift
  /// final class CardStore: Storable {
  ///   var cards: ConstantTable<Card> { _cards.constant }
  ///   private let _cards = VariableTable<Card>()
  ///
  ///   func reduce(with state: Dispatcher.Cards) {
  ///     switch state {
  ///     case .add(let card): _cards.append(card)
  ///     case .rename(let id, let title): _cards[id: id]?.title = title
  ///     case .remove(let id): _cards.remove(id: id)
  ///     case .show(let cards): _cards.replaceAll(with: cards)
  ///     }
  ///   }
  /// }
  /// ```
  @inlinable public var constant: ConstantTable<Row> {
    table.readOnlySide { ConstantTable(self) }
  }

  /// The row with an id, or `nil` if the table contains no such row.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// cards[id: "milk"]?.title += "!"
  /// cards[id: "bread"] = Card(id: "bread", title: "Buy bread")
  /// cards[id: "milk"] = nil
  /// print(cards.ids.value)  // ["bread"]
  /// ```
  ///
  /// - If you assign a row, it replaces the row with the id, and the row's observers are called even if both are equal. If
  ///   there is no such row, the new one is appended.
  /// - If you assign `nil`, the row is removed.
  /// - A change in place, such as `cards[id: id]?.title = "Milk"`, is one atomic step, during which no other thread reads
  ///   or writes the table. If there is no such row, nothing happens.
  ///
  /// > Warning: `cards[id: id] = changed(cards[id: id])` is two steps, a read and a write. If another thread writes between
  /// them, its write is lost.
  ///
  /// > Warning: `cards[id: "a"]?.title = cards[id: "b"]?.title ?? ""` reads the table during a change in place, and traps.
  /// Read the other row first.
  ///
  /// - Precondition: An assigned or changed row has the id of the subscript.
  /// - Precondition: Code that runs during a change in place doesn't use the table, and contains no `await`.
  /// - Complexity: O(1), and O(n) in the number of rows if a row is removed.
  @inlinable public subscript(id id: Row.ID) -> Row? {
    get { table.withLock { table.row(id) } }
    set { _ = table.replace(id, with: newValue) }
    _modify {
      let thread = table.takeOut(id)
      defer {
        table.trapIfSuspended()
        table.putBack(id, on: thread)
      }
      yield &table.takenRow
    }
  }

  /// Adds a row after all other rows.
  ///
  /// - Precondition: The table contains no row with the same id.
  /// - Complexity: Amortized O(1).
  @inlinable public func append(_ row: Row) {
    let thread = table.beginMutation()
    table.insert(row, at: table.stored.count)
    table.endChange(on: thread)
  }

  /// Inserts a row at a position.
  ///
  /// - Parameters:
  ///   - row: The new row.
  ///   - position: The position from 0 to the number of rows.
  /// - Precondition: The table contains no row with the same id.
  /// - Complexity: O(n) in the number of rows after the position.
  @inlinable public func insert(_ row: Row, at position: Int) {
    let thread = table.beginMutation()
    table.insert(row, at: position)
    table.endChange(on: thread)
  }

  /// Moves a row to another position. If there is no such row, or if it already has the position, nothing happens.
  ///
  /// - Parameters:
  ///   - id: The id of the row.
  ///   - position: The row's position after the move, from 0 to the number of rows minus 1.
  /// - Complexity: O(n) in the number of rows between the positions.
  @inlinable public func move(id: Row.ID, to position: Int) {
    let thread = table.beginMutation()
    table.endChange(on: thread, isChange: table.move(id, to: position))
  }

  /// Removes the row with an id. If the table contains no such row, nothing happens.
  ///
  /// To remove many rows, it's faster to replace all rows with those that remain.
  ///
  /// - Returns: The removed row.
  /// - Complexity: O(n) in the number of rows after the removed row.
  @discardableResult @inlinable public func remove(id: Row.ID) -> Row? {
    table.replace(id, with: nil)
  }

  /// Removes all rows.
  ///
  /// - Complexity: O(n) in the number of rows.
  @inlinable public func removeAll() { _ = table.replaceAll(with: []) { _, _ in true } }

  /// Replaces all rows, for example with rows that were fetched again.
  ///
  /// The table compares the rows with the same id, and moves as few rows as possible, so that observers see few changes. If
  /// `Row` is `Equatable`, and a new row equals the former one, the former row stays, and its observers aren't called. If
  /// `Row` isn't `Equatable`, every new row counts as changed.
  ///
  /// - Parameter rows: The new rows, in their order.
  /// - Precondition: No two rows have the same id. If a server's response can repeat a row, remove the repetitions first.
  /// - Complexity: O(n) in the number of old and new rows. If rows move, O(n log n).
  @inlinable public func replaceAll(with rows: [Row]) {
    _ = table.replaceAll(with: rows) { areEqual($0, $1) }
  }
}

extension PrimitiveTable where Trait == MutableTrait, Row: Equatable {
  /// Replaces all rows, for example with rows that were fetched again.
  ///
  /// ```swift
  /// let milk = Card(id: "milk", title: "Buy milk")
  /// let cards = VariableTable([milk])
  /// let dust = cards.row(id: "milk").observe { print($0?.title ?? "No card") }  // Buy milk
  /// cards.replaceAll(with: [Card(id: "bread", title: "Buy bread"), milk])
  /// dust.clean()
  /// ```
  ///
  /// The table compares the rows with the same id, and moves as few rows as possible, so that observers see few changes. If
  /// a new row equals the former one, the former row stays, and its observers aren't called. Rows are compared with `==`,
  /// so a row with a NaN counts as changed.
  ///
  /// - Parameter rows: The new rows, in their order.
  /// - Precondition: No two rows have the same id. If a server's response can repeat a row, remove the repetitions first.
  /// - Complexity: O(n) in the number of old and new rows. If rows move, O(n log n).
  @inlinable public func replaceAll(with rows: [Row]) {
    _ = table.replaceAll(with: rows, isSame: ==)
  }
}

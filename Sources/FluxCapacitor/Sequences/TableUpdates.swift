/// The changes of a table from one or more transactions, together with all rows afterward.
///
/// ``PrimitiveTable/changes`` returns a sequence of updates.
public struct TableUpdate<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
  /// The ids of the rows that were removed, inserted and moved, as in ``TableChanges/difference``.
  public let difference: CollectionDifference<Row.ID>

  /// The ids of the rows that stayed in the table and have a new value, as in ``TableChanges/updated``.
  public let updated: [Row.ID]

  /// All rows after the changes, in their order. The array shares its memory with the table.
  public let rows: [Row]
}

/// An asynchronous sequence of a table's updates.
///
/// ``PrimitiveTable/changes`` describes the guarantees.
public struct TableUpdates<Row: Identifiable & Sendable>: AsyncSequence, Sendable
where Row.ID: Sendable {
  /// The sequence never throws.
  public typealias Failure = Never

  typealias Latest = (rows: [Row], edit: TableEdit<Row.ID>)

  let table: TableChannel<Row>

  /// Creates an iterator for one consumer, and starts the consumer's observation.
  public func makeAsyncIterator() -> Iterator {
    let constants = table.withLock {
      let part = table.partOfEdits()
      part.addHandle()
      table.addHandle()
      return (Constant(sharing: table as ValueChannel<[Row]>), Constant(sharing: part))
    }
    let latest = Constant.combine(constants.0, constants.1)
    let later = Values<Latest>(buffering: .bufferingNewest(1)) { changes in
      latest.observe(ignoreFirst: true) { changes((rows: $0.0, edit: $0.1)) }
    }
    .makeAsyncIterator()
    // The observation has begun, so no change is missed.
    let first = table.withLock { (rows: table.stored, edit: table.partOfEdits().stored) }
    return Iterator(later: later, first: first)
  }

  /// An iterator, which returns the updates for one consumer.
  ///
  /// The iterator's observation ends when the iterator returns `nil` or is released. An iterator doesn't keep the
  /// table alive.
  public struct Iterator: AsyncIteratorProtocol {
    private var later: Values<Latest>.Iterator
    private var received: TableEdit<Row.ID>
    private var first: [Row]?

    init(later: Values<Latest>.Iterator, first: Latest) {
      self.later = later
      received = first.edit
      self.first = first.rows
    }

    /// Waits for the next update and returns it, or returns `nil` if the table was deallocated or the task was
    /// cancelled.
    ///
    /// - Precondition: Only one task at a time waits in an iterator. If a second task waits in the same
    ///   iterator, the process traps.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TableUpdate<Row>? {
      if let rows = first.take() {
        let inserting = TableDifference(inserting: rows.map(\.id)).changes
        guard let difference = inserting?.difference ?? CollectionDifference([]) else { return nil }
        return TableUpdate(difference: difference, updated: [], rows: rows)
      }
      while let latest = await later.next(isolation: actor) {
        guard let changes = advance(to: latest.edit)?.changes else { continue }
        return TableUpdate(
          difference: changes.difference,
          updated: changes.updated,
          rows: latest.rows
        )
      }
      return nil
    }

    /// Returns the sum of the changes up to an edit, or nil if this iterator has already received the edit.
    private mutating func advance(to edit: TableEdit<Row.ID>) -> TableDifference<Row.ID>? {
      guard edit.number > received.number else { return nil }
      var difference = TableDifference<Row.ID>()
      difference.apply(after: &received, through: edit)
      return difference
    }
  }
}

// Only the task that iterates uses an iterator, so an iterator isn't `Sendable`.
@available(*, unavailable)
extension TableUpdates.Iterator: Sendable {}

extension PrimitiveTable {
  /// An asynchronous sequence of the table's changes, each with all rows afterward, for a page or a socket.
  ///
  /// - Each consumer's first update inserts all rows.
  /// - A later update is the sum of the changes since the consumer's last update. A slow consumer receives the changes
  ///   of many transactions as one update, and loses none. Changes that cancel each other out are left out.
  /// - ``TableUpdate/rows`` are the rows to which the changes lead, after a whole transaction. Only the first update
  ///   is a read, which can see a part of another thread's open transaction.
  /// - While the sequence has a consumer, or a consumer keeps ``TableUpdate/rows``, each transaction that changes the
  ///   table copies the array of rows once.
  /// - The loop ends as a loop over ``PrimitiveValue/values`` does.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// for await update in cards.changes {
  ///   print(update.difference.count, update.updated, update.rows.count)  // 1 [] 1
  ///   break
  /// }
  /// ```
  ///
  /// - Complexity: O(n) in the number of rows for the first update. Each further update takes O(k log k) for k changed
  ///   rows, in addition to the copy.
  public var changes: TableUpdates<Row> { TableUpdates(table: table) }
}

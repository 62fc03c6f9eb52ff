/// A table's changes from one or more transactions, together with all rows afterward. See ``PrimitiveTable/changes``.
public struct TableUpdate<Row: Identifiable & Sendable>: Sendable where Row.ID: Sendable {
  /// The ids of the rows that were removed, inserted and moved, as in ``TableChanges/difference``.
  public let difference: CollectionDifference<Row.ID>

  /// The ids of the rows that stayed in the table and were written, as in ``TableChanges/updated``.
  public let updated: [Row.ID]

  /// All rows after the changes, in their order. The array shares its memory with the table.
  public let rows: [Row]

  /// The rows that were inserted, moved or written, in their order. Show these rows again.
  ///
  /// - Complexity: O(n) in the number of rows.
  public var changedRows: [Row] {
    var ids = Set(updated)
    for case .insert(_, let id, _) in difference.insertions { ids.insert(id) }
    return rows.filter { ids.contains($0.id) }
  }
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
    let (part, edits) = table.withLock {
      let part = table.partOfEdits()
      part.addHandle()
      return (part, Constant(sharing: part))
    }
    let missed = MissedTableChanges(of: table, part)
    let wakes = Values<Void>(buffering: .bufferingNewest(1)) { wake in
      missed.observe(edits, wake)
    }
    return Iterator(wakes: wakes.makeAsyncIterator(), missed: missed)
  }

  /// Returns the updates for one consumer, one by one.
  ///
  /// The observation ends when the iterator returns `nil` or is released. An iterator doesn't keep the table alive.
  public struct Iterator: AsyncIteratorProtocol {
    private var wakes: Values<Void>.Iterator
    private let missed: MissedTableChanges<Row>

    /// The rows of the last update, or nil before the first one.
    private var shown: [Row]?

    init(wakes: Values<Void>.Iterator, missed: MissedTableChanges<Row>) {
      (self.wakes, self.missed) = (wakes, missed)
    }

    /// Waits for the next update, or returns `nil` if the table was deallocated or the task was cancelled.
    ///
    /// - Precondition: Only one task at a time waits in an iterator. If a second task waits in the same iterator, the
    ///   process traps.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> TableUpdate<Row>? {
      if shown == nil, !Task.isCancelled { return missed.take().flatMap { first($0.rows) } }
      while await wakes.next(isolation: actor) != nil, !Task.isCancelled {
        if let (rows, changes) = missed.take(), let update = update(to: rows, changes) {
          return update
        }
      }
      return nil
    }

    private mutating func first(_ rows: [Row]) -> TableUpdate<Row>? {
      shown = rows
      let inserting = TableDifference(inserting: rows.map(\.id)).changes
      return (inserting?.difference ?? CollectionDifference([])).map {
        TableUpdate(difference: $0, updated: [], rows: rows)
      }
    }

    /// Returns the sum of the missed changes, or nil if they cancel each other out.
    private mutating func update(
      to rows: [Row],
      _ changes: [TableEdit<Row.ID>.Change]?
    ) -> TableUpdate<Row>? {
      let former = shown ?? []
      shown = rows
      guard let changes else { return TableUpdate(from: former, to: rows) }
      var sum = TableDifference<Row.ID>()
      for change in changes { sum.apply(change) }
      return sum.changes.map {
        TableUpdate(difference: $0.difference, updated: $0.updated, rows: rows)
      }
    }
  }
}

// Only the task that iterates uses an iterator, so an iterator isn't `Sendable`.
@available(*, unavailable)
extension TableUpdates.Iterator: Sendable {}

extension PrimitiveTable {
  /// An asynchronous sequence of the table's changes, each with all rows afterward, for a page or a socket.
  ///
  /// ```swift
  /// let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
  /// for await update in cards.changes {
  ///   print(update.difference.count, update.updated, update.rows.count)  // 1 [] 1
  ///   break
  /// }
  /// ```
  ///
  /// - Each consumer's first update inserts all rows.
  /// - A later update contains all changes since the consumer's previous one. So a slow consumer receives the changes of
  ///   many transactions as one update, and loses none. Changes of the rows' order that cancel each other out are left out.
  /// - ``TableUpdate/rows`` are the rows after these changes, and after a whole transaction. Only the first update is a
  ///   read, which can see a part of another thread's open transaction.
  /// - A consumer keeps about as many changes as the table has rows. If it misses more, its next update compares the rows
  ///   before and after, which shows no change inside an object that is a part of a struct.
  /// - While there is a consumer, or while one keeps ``TableUpdate/rows``, each transaction that changes the table copies
  ///   the array of rows once.
  /// - The loop ends as a loop over ``PrimitiveValue/values`` does.
  ///
  /// - Complexity: O(n) in the number of rows for the first update. Each further update takes O(k √k) for k changed rows,
  ///   in addition to the copy.
  public var changes: TableUpdates<Row> { TableUpdates(table: table) }
}

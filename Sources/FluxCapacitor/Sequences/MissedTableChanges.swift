/// The changes of a table that a consumer of its updates has not received yet.
final class MissedTableChanges<Row: Identifiable & Sendable>: @unchecked Sendable
where Row.ID: Sendable {
  typealias Change = TableEdit<Row.ID>.Change
  typealias Edits = TablePart<Row, TableEdit<Row.ID>>

  fileprivate let table: TableChannel<Row>
  private let part: Edits

  // `lock` guards the variables below.
  private let lock = Lock()
  private var last: TableEdit<Row.ID>

  /// The rows after the missed changes, or nil if no change is missed.
  private var rows: [Row]?

  /// The missed changes, or nil if they were too many to be kept.
  private var changes: [Change]? = []

  /// Creates the object with all rows. The caller has a handle of the part.
  init(of table: TableChannel<Row>, _ part: Edits) {
    (self.table, self.part) = (table, part)
    (rows, last) = table.withLock { (table.stored, part.stored) }
  }

  deinit {
    releaseAfterUnlocking((rows, changes, last))
  }

  /// Observes the table until the returned Dust is cleaned or the table ends.
  func observe(
    _ edits: Constant<TableEdit<Row.ID>>,
    _ wake: @escaping @Sendable (()) -> Void
  ) -> Dust {
    let watch = Watch(missed: self, wake: wake)
    // These inputs have no handles, so the table ends while they exist.
    let rows = Input(from: table as ValueChannel, keptBy: table)
    let edit = Input(from: part, keptBy: part)
    let latest = Constant<TableUpdates<Row>.Latest>(
      sharing: DerivedChannel(from: [rows, edit]) { (rows.value(for: $0), edit.value(for: $0)) }
    )
    watch.dust = latest.observe(ignoreFirst: true) { [weak watch] latest in
      guard let watch else { return }
      watch.missed.note(latest)
      watch.wake(())
    }
    // A change before the observation is a part of the first update.
    noteCurrent()
    return edits.observe(ignoreFirst: true) { _ in _ = watch }
  }

  /// The observation of the rows together with their edits. The observation of the edits keeps it, because a part ends with
  /// its table, and a derived constant doesn't.
  private final class Watch: @unchecked Sendable {
    let missed: MissedTableChanges
    let wake: @Sendable (()) -> Void

    /// Set once, before another thread knows the observation.
    var dust: Dust?

    init(missed: MissedTableChanges, wake: @escaping @Sendable (()) -> Void) {
      (self.missed, self.wake) = (missed, wake)
    }

    deinit {
      dust?.end()
      // Of a table that has ended, the last change might not have been delivered yet.
      if missed.table.isClosed { missed.noteCurrent() }
      wake(())
    }
  }

  private func noteCurrent() { note(table.withLock { (table.stored, part.stored) }) }

  private func note(_ latest: TableUpdates<Row>.Latest) {
    let former = lock.withLock { () -> Any? in
      guard latest.edit.number > last.number else { return nil }
      let former = (last, rows)
      while last !== latest.edit, let next = last.next {
        changes? += next.changes
        last = next
      }
      rows = latest.rows
      let isTooLong = changes.map { $0.count > 64 + latest.rows.count } ?? false
      return (former, isTooLong ? changes.take() : nil)
    }
    // The values are released after unlocking, because a `deinit` can run user code.
    releaseAfterUnlocking((former, latest))
  }

  /// Removes and returns the missed changes with the rows to which they lead.
  func take() -> (rows: [Row], changes: [Change]?)? {
    lock.withLock {
      guard let rows = rows.take() else { return nil }
      defer { changes = [] }
      return (rows, changes)
    }
  }
}

extension TableUpdate {
  /// Compares the rows before and after many changes. Returns nil if they are the same.
  init?(from former: [Row], to rows: [Row]) {
    let positions = Dictionary(uniqueKeysWithValues: zip(former.map(\.id), former.indices))
    let origins = rows.map { positions[$0.id] ?? -1 }
    var destinations = [Int?](repeating: nil, count: former.count)
    for (position, origin) in origins.enumerated() where origin >= 0 {
      destinations[origin] = position
    }
    // A row stays if its order among the rows that stay doesn't change. The other rows move.
    let stays = isInLongestIncreasingSequence(origins)
    var changes: [CollectionDifference<Row.ID>.Change] = []
    for (origin, row) in former.enumerated() {
      let destination = destinations[origin]
      if let destination, stays[destination] { continue }
      changes.append(.remove(offset: origin, element: row.id, associatedWith: destination))
    }
    var updated: [Row.ID] = []
    for (position, row) in rows.enumerated() {
      let origin = origins[position]
      if !stays[position] {
        let former = origin < 0 ? nil : origin
        changes.append(.insert(offset: position, element: row.id, associatedWith: former))
      }
      // An object might have changed inside.
      if origin >= 0, Row.self is AnyClass || !areCopies(former[origin], row) {
        updated.append(row.id)
      }
    }
    guard !changes.isEmpty || !updated.isEmpty, let difference = CollectionDifference(changes)
    else { return nil }
    self.init(difference: difference, updated: updated, rows: rows)
  }
}

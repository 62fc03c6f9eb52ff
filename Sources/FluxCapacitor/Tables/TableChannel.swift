/// The channel of a table's rows, with the index that finds a row by its id.
///
/// A table is a variable of an array. A *part* is another variable, with the value of a single row, or with
/// the ids of all rows. The table creates a part when code asks for it, and releases the part when no code
/// uses it. Each change of the table is a mutation of the array. Within this mutation, the table also
/// writes the parts that the change affects. So one transaction delivers the array and the parts.
///
/// The channel's lock guards all properties. A thread takes the lock of a part after this lock. Under the
/// lock, the table calls `hash(into:)` and `==` of ids, which are user code. So the lock records its holder.
@usableFromInline
final class TableChannel<Row: Identifiable & Sendable>: ValueChannel<[Row]>, @unchecked Sendable
where Row.ID: Sendable {
  /// The entry of each row in the table, and of each row that code waits for.
  @exclusivity(unchecked) @usableFromInline var entries: [Row.ID: Entry] = [:]

  @exclusivity(unchecked) @usableFromInline var ids: TablePart<Row, [Row.ID]>?

  /// The latest edit, as long as code observes the changes of the table.
  @exclusivity(unchecked) @usableFromInline var edits: TablePart<Row, TableEdit<Row.ID>>?

  /// The number of parts that the table has ever created.
  @exclusivity(unchecked) var createdParts = 0

  /// The number of times that a part was found in use, since the table has last begun to check all parts. At the
  /// limit, the table checks all parts again.
  @exclusivity(unchecked) private var partsFoundInUse = 0
  @exclusivity(unchecked) private var limitOfPartsInUse = 16

  /// The tracker to which reads of rows by id are reported. If Observation tracks such a read, the table reads
  /// the row's part, whose own tracker reports the changes.
  private let rowTracker = Unmanaged.passRetained(Tracker())

  // The row that is being changed in place, with its id and its entry; see `lend`.
  @exclusivity(unchecked) @usableFromInline var lentRow: Row?
  @exclusivity(unchecked) @usableFromInline var lentID: Row.ID?
  @exclusivity(unchecked) @usableFromInline var lentEntry = Entry()

  /// The number of changes of the order since all positions in `entries` were right. Each of these changes
  /// has shifted each row by at most one position.
  @exclusivity(unchecked) @usableFromInline var shifts = 0

  @usableFromInline struct Entry {
    /// The row's position in the array, with an error of at most `shifts`, or -1 if the table doesn't
    /// contain the row.
    @usableFromInline var position = -1

    /// The row's part, if it has one. The entry owns one reference, which the code retains and releases by
    /// hand. Automatic counting would take longer than the other work for a row.
    @usableFromInline var part: Unmanaged<TablePart<Row, Row?>>?

    @inlinable init() {}
  }

  @inlinable init(_ rows: [Row]) {
    super.init([])
    entries.reserveCapacity(rows.count)
    stored.reserveCapacity(rows.count)
    for row in rows { insert(row, at: stored.count) }
  }

  deinit { Tracker.release(rowTracker) }

  override var description: String { "A VariableTable<\(Row.self)>" }

  // MARK: - Reading

  /// Runs a closure that reads the table or creates a part. The closure may call user code of ids.
  @inlinable func withLock<Result>(_ body: () -> Result) -> Result {
    recordOperation("reads", self)
    trapIfInMutation()
    lock.lock(holder: CurrentThread.current.id)
    defer { lock.unlock() }
    return body()
  }

  /// Reports a read of a row to Observation, and returns whether the read counts as tracked.
  @usableFromInline var isRowReadTracked: Bool { rowTracker.use { $0.noteAccess(on: .current) } }

  /// The row with an id. The caller must hold the lock.
  @inlinable func row(_ id: Row.ID) -> Row? {
    entry(of: id).map { stored[$0.position] }
  }

  /// The entry of a row in the table, with the right position. The caller must hold the lock.
  @inlinable func entry(of id: Row.ID) -> Entry? {
    guard var entry = entries[id], entry.position >= 0 else { return nil }
    if shifts > 0 { entry.position = position(of: id, near: entry.position) }
    return entry
  }

  /// Finds a row near a position.
  @inlinable func position(of id: Row.ID, near position: Int) -> Int {
    for distance in 0...shifts {
      if has(id, at: position - distance) { return position - distance }
      if has(id, at: position + distance) { return position + distance }
    }
    trap("\(self) has lost the row with the id \(id).")
  }

  @inlinable func has(_ id: Row.ID, at position: Int) -> Bool {
    position >= 0 && position < stored.count && stored[position].id == id
  }

  /// Returns a constant for a part, which is created on first use.
  @inlinable func constant<Element>(
    of part: () -> TablePart<Row, Element>
  ) -> Constant<Element> {
    withLock {
      let part = part()
      part.addHandle()
      return Constant(sharing: part)
    }
  }

  /// The part with the value of a row. The caller must hold the lock.
  @inlinable func part(of id: Row.ID) -> TablePart<Row, Row?> {
    if let part = entries[id]?.part { return part.takeUnretainedValue() }
    let part = TablePart(row(id), .row(id), of: self)
    entries[id, default: Entry()].part = .passRetained(part)
    return part
  }

  /// The part with the ids of all rows. The caller must hold the lock.
  @inlinable func partOfIDs() -> TablePart<Row, [Row.ID]> {
    let part = ids ?? TablePart(stored.map(\.id), .ids, of: self)
    ids = part
    return part
  }

  /// The part with the latest edit. The caller must hold the lock.
  @inlinable func partOfEdits() -> TablePart<Row, TableEdit<Row.ID>> {
    let part = edits ?? TablePart(TableEdit(), .edits, of: self)
    edits = part
    return part
  }

  // MARK: - Parts

  /// Releases a part if no code uses the part.
  func releaseIfUnused(_ part: AnyChannel, at place: TablePlace<Row.ID>) {
    var tracker: Dust?
    var others: [AnyChannel] = []
    withLock {
      guard has(part, at: place) else { return }
      guard part.isUnused(except: &tracker) else { return others = partsToCheck() }
      switch place {
      case .row(let id):
        let isAbsent = entries[id].map { $0.position < 0 } ?? false
        if isAbsent { entries[id] = nil } else { entries[id]?.part = nil }
        // The caller also has a reference, so this release frees nothing under the lock.
        Unmanaged.passUnretained(part).release()
      case .ids: ids = nil
      case .edits: edits = nil
      }
    }
    tracker?.clean()
    guard !others.isEmpty else { return }
    for part in others { part.becameUnobserved() }
    withLock { limitOfPartsInUse = max(16, 2 * partsFoundInUse) }
  }

  /// The parts to check after a part was found in use: all parts at the limit, and otherwise none. The caller
  /// must hold the lock.
  ///
  /// A tracked read can end without a change of its row, for example because the view shows another row. The table
  /// doesn't learn of this end. So the table checks all parts now and then, in amortized constant time.
  private func partsToCheck() -> [AnyChannel] {
    partsFoundInUse += 1
    guard partsFoundInUse == limitOfPartsInUse else { return [] }
    // The caller sets the limit again, after it has counted the parts that are still in use.
    (partsFoundInUse, limitOfPartsInUse) = (0, .max)
    return parts
  }

  private func has(_ part: AnyChannel, at place: TablePlace<Row.ID>) -> Bool {
    switch place {
    case .row(let id): entries[id]?.part?.toOpaque() == Unmanaged.passUnretained(part).toOpaque()
    case .ids: ids === part
    case .edits: edits === part
    }
  }

  /// The parts that exist, in the order of their creation. A dictionary's own order would differ in each run
  /// of a scenario. The caller must hold the lock.
  var parts: [AnyChannel] {
    var parts: [AnyChannel] = entries.values.compactMap { $0.part?.takeUnretainedValue() }
      .sorted { $0.number < $1.number }
    if let ids { parts.append(ids) }
    if let edits { parts.append(edits) }
    return parts
  }

  /// Ends the observations of all parts that have no constant, because the table no longer exists.
  override func close() {
    // The entries are released after unlocking, because a `deinit` can run user code.
    var formerEntries: [Row.ID: Entry] = [:]
    let parts = withLock {
      let parts = self.parts
      for entry in entries.values { entry.part?.release() }
      swap(&formerEntries, &entries)
      (ids, edits) = (nil, nil)
      return parts
    }
    for part in parts { part.disown() }
    withExtendedLifetime(formerEntries) {}
    super.close()
  }

  /// The number of observers of the rows and of all parts.
  var observerCountOfTable: Int {
    withLock { parts }.reduce(observerCount) { $0 + $1.observerCount }
  }
}

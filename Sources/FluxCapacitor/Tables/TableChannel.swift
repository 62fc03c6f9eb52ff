/// The channel of a table's rows, with the index that finds a row by its id.
///
/// A table is a variable of an array. A *part* is another variable, with the value of a single row, with the
/// ids of all rows, or with the latest edit. The table creates a part when code asks for it, and releases the
/// part when no code uses it. Each change of the table is a mutation of the array. Within this mutation, the
/// table also writes the parts that the change affects. So one transaction delivers the array and the parts.
///
/// The channel's lock guards all properties. A thread takes the lock of a part after this lock. Under the
/// lock, the table calls `hash(into:)` and `==` of ids, which are user code. So the lock records its holder.
@usableFromInline
final class TableChannel<Row: Identifiable & Sendable>: ValueChannel<[Row]>, @unchecked Sendable
where Row.ID: Sendable {
  /// The entry of each row in the table, and of each other row that code waits for.
  @exclusivity(unchecked) @usableFromInline var index: [Row.ID: Entry] = [:]

  /// A position at or near which `entry(of:)` finds the row, or -1 if the table doesn't contain the row, and
  /// the part with the row's value.
  ///
  /// The entry owns one reference to the part, which the code retains and releases by hand. Automatic counting
  /// or a second dictionary would add a third to the time of a change of one of 10,000 observed rows.
  @usableFromInline typealias Entry = (position: Int, part: Unmanaged<TablePart<Row, Row?>>?)

  @usableFromInline var ids: TablePart<Row, [Row.ID]>?

  /// The latest edit, as long as code observes the changes of the table.
  @exclusivity(unchecked) @usableFromInline var edits: TablePart<Row, TableEdit<Row.ID>>?

  // The row that a thread has taken out of the table to change it, and the row's entry. As local variables of
  // an accessor, these properties would need an allocation for each change.
  @exclusivity(unchecked) @usableFromInline var takenRow: Row?
  @exclusivity(unchecked) @usableFromInline var takenEntry: Entry = (-1, nil)

  /// Whether the table has closed its parts. The table doesn't own the parts that are created later.
  private(set) var hasEnded = false

  /// The number of parts that the table has ever created.
  var createdParts = 0

  /// The number of times that a part was found in use, since the table has last begun to check all parts. At the
  /// limit, the table checks all parts again.
  private var partsFoundInUse = 0
  private var limitOfPartsInUse = 16

  /// The tracker to which reads of rows by id are reported. If Observation tracks such a read, the table reads
  /// the row's part, whose own tracker reports the changes.
  private let rowTracker = Unmanaged.passRetained(Tracker())

  @inlinable init(_ rows: [Row]) {
    super.init([])
    index.reserveCapacity(rows.count)
    stored.reserveCapacity(rows.count)
    for row in rows { insert(row, at: stored.count) }
  }

  deinit {
    // The deinit of an object that a tracking has captured can make changes. The tracker's registrar releases such an object
    // under its own lock, so the changes are delivered afterward.
    currentThread().whileDelivering { rowTracker.release() }
  }

  override var description: String { "A VariableTable<\(Row.self)>" }

  // MARK: - Reading

  /// Runs a closure that reads the table or creates a part. The closure may call user code of ids.
  @inlinable func withLock<Result>(_ body: () -> Result) -> Result {
    recordOperation("reads", self)
    if lock.isHeldByCurrentThread { trapInMutation() }
    lock.lock(holder: currentThread().pointee.id)
    defer { lock.unlock() }
    return body()
  }

  /// Reports a read of a row to Observation, and returns whether the read counts as tracked.
  @usableFromInline var isRowReadTracked: Bool {
    rowTracker.use { $0.noteAccess(on: currentThread()) }
  }

  /// The row with an id. The caller must hold the lock.
  @inlinable func row(_ id: Row.ID) -> Row? {
    let position = entry(of: id).position
    return position < 0 ? nil : stored[position]
  }

  /// The entry of a row, with the row's right position. The caller must hold the lock.
  ///
  /// A change of the order shifts other rows by one position, and leaves their positions in the index as they
  /// are. If a row has shifted too far to be found nearby, this method corrects the whole index. Hashing all
  /// ids takes longer than the change itself, so the correction waits for many changes.
  @inlinable func entry(of id: Row.ID) -> Entry {
    let (position, part) = index[id] ?? (-1, nil)
    if position < 0 { return (position, part) }
    for distance in 0...64 {
      if has(id, at: position - distance) { return (position - distance, part) }
      if has(id, at: position + distance) { return (position + distance, part) }
    }
    for position in stored.indices { index[stored[position].id]?.position = position }
    return index[id] ?? (-1, part)
  }

  @inlinable func has(_ id: Row.ID, at position: Int) -> Bool {
    stored.indices.contains(position) && stored[position].id == id
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
    if let part = index[id]?.part { return part.takeUnretainedValue() }
    let part = TablePart(row(id), ofRow: id, of: self)
    index[id, default: (-1, nil)].part = .passRetained(part)
    return part
  }

  /// The part with the ids of all rows. The caller must hold the lock.
  @inlinable func partOfIDs() -> TablePart<Row, [Row.ID]> {
    let part = ids ?? TablePart(stored.map(\.id), of: self)
    ids = part
    return part
  }

  /// The part with the latest edit. The caller must hold the lock.
  @inlinable func partOfEdits() -> TablePart<Row, TableEdit<Row.ID>> {
    let part = edits ?? TablePart(TableEdit(), of: self)
    edits = part
    return part
  }

  // MARK: - Parts

  /// Releases a part if no code uses the part. The caller has another reference to the part, so this method
  /// frees nothing under the lock.
  ///
  /// - Parameter id: The id of the row if the part has the value of a row.
  func releaseIfUnused(_ part: AnyChannel, ofRow id: Row.ID?) {
    var tracker: Dust?
    var key: Row.ID?
    var others: [AnyChannel] = []
    withLock {
      guard part.isUnused(except: &tracker) else { return others = partsToCheck() }
      if let id, let entry = index[id], entry.part?.takeUnretainedValue() === part {
        if entry.position < 0 {
          key = removeFromIndex(id)
        } else {
          index[id] = (entry.position, nil)
        }
        entry.part?.release()
      }
      if ids === part { ids = nil }
      if edits === part { edits = nil }
    }
    releaseAfterUnlocking(key)
    tracker?.clean()
    guard !others.isEmpty else { return }
    for part in others { part.observersMayHaveLeft() }
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

  /// The parts that exist. The parts of rows are in the order of their creation, because a dictionary's own
  /// order would differ in each run of a scenario. The caller must hold the lock.
  var parts: [AnyChannel] {
    let partsOfRows = index.values.compactMap { $0.part?.takeUnretainedValue() }
    let others: [AnyChannel?] = [ids, edits]
    return partsOfRows.sorted { $0.number < $1.number } + others.compactMap(\.self)
  }

  /// Ends the observations of all parts that have no constant, because the table no longer exists.
  override func close() {
    // The parts and the index are released after unlocking, because a `deinit` can run user code.
    let (formerParts, formerIndex) = withLock {
      defer { (index, ids, edits, hasEnded) = ([:], nil, nil, true) }
      return (parts, index)
    }
    for entry in formerIndex.values { entry.part?.release() }
    for part in formerParts { part.dropHandle(AnyChannel.owned) }
    super.close()
  }
}

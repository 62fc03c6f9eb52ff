// The changes of a table. The caller of each method holds the channel's lock for a mutation, except where
// the method begins the mutation itself.

extension TableChannel {
  /// Ends a mutation of the table. If parts have been written, the table stays locked until the commit. So
  /// no other thread's change comes between the mutation and its commit.
  @inlinable func endChange(on thread: CurrentThread, isChange: Bool = true) {
    endMutation(on: thread, isChange: isChange, hasParts: true)
  }

  /// Inserts a row, or traps if the table already contains a row with this id.
  @inlinable func insert(_ row: Row, at position: Int) {
    if position < 0 || position > stored.count { trapBounds(position) }
    let id = row.id
    let (_, part) = addToIndex(id, at: position)
    stored.insert(row, at: position)
    part?.use { _ = $0.write(row) }
    ids?.mutate { $0.insert(id, at: position) }
    appendEdit([.insert(id, at: position), .update(id)])
  }

  /// Adds a row to the index, or traps if the table already contains a row with this id.
  ///
  /// - Returns: The row's entry, which has a part if code waits for the row.
  @inlinable func addToIndex(_ id: Row.ID, at position: Int) -> Entry {
    var entry: Entry = (position, nil)
    guard let former = index.updateValue(entry, forKey: id) else { return entry }
    if former.position >= 0 { trapDuplicate(id) }
    entry.part = former.part
    index[id] = entry
    return entry
  }

  /// Removes an entry from the index, and returns its key, which the caller releases after unlocking.
  @inlinable func removeFromIndex(_ id: Row.ID) -> Row.ID? {
    index.index(forKey: id).map { index.remove(at: $0).key }
  }

  /// Moves a row, and returns whether its position has changed.
  @inlinable func move(_ id: Row.ID, to new: Int) -> Bool {
    let old = entry(of: id).position
    if old < 0 { return false }
    if new < 0 || new >= stored.count { trapBounds(new) }
    if new == old { return false }
    stored.insert(stored.remove(at: old), at: new)
    index[id]?.position = new
    ids?.mutate { $0.insert($0.remove(at: old), at: new) }
    appendEdit([.remove(id, at: old), .insert(id, at: new)])
    return true
  }

  /// Appends an edit to the list of edits, if the list exists.
  @inlinable func appendEdit(_ changes: @autoclosure () -> [TableEdit<Row.ID>.Change]) {
    guard let edits else { return }
    let edit = TableEdit(changes(), after: edits.stored)
    edits.stored.next = edit
    releaseAfterUnlocking(edits.write(edit))
  }

  // MARK: - One row

  /// Replaces, appends or removes the row with an id.
  ///
  /// - Returns: The former row.
  @inlinable func replace(_ id: Row.ID, with row: Row?) -> Row? {
    let thread = takeOut(id)
    var row = row
    swap(&takenRow, &row)
    putBack(id, on: thread)
    // If the caller ignores the former row, optimized code would release it under the lock.
    withExtendedLifetime(row) {}
    return row
  }

  /// Begins a mutation, and takes the row with an id out of the table, in O(1).
  ///
  /// Until `putBack`, neither the array nor the row's part contains the row. So a change in place doesn't copy
  /// the row's own arrays and strings. Meanwhile, a copy of another row is in the row's position, or the array is
  /// empty if the table has no other row.
  @inlinable func takeOut(_ id: Row.ID) -> CurrentThread {
    let thread = beginChangeInPlace()
    takenEntry = entry(of: id)
    let (position, part) = takenEntry
    if position < 0 { return thread }
    part?.use {
      $0.lockForMutation(on: thread)
      $0.stored = nil
    }
    takenRow = stored[position]
    let other = position == 0 ? stored.count - 1 : 0
    if other == position { stored.removeLast() } else { stored[position] = stored[other] }
    return thread
  }

  /// Puts the row back in its position, or appends or removes the row, and ends the mutation.
  @inlinable func putBack(_ id: Row.ID, on thread: CurrentThread) {
    let (position, part) = takenEntry
    let row = takenRow.take()
    if let row, row.id != id { trapChangedID(from: id, to: row.id) }
    guard position >= 0 else {
      if let row { insert(row, at: stored.count) }
      return endChange(on: thread, isChange: row != nil)
    }
    if let row {
      if position < stored.count { stored[position] = row } else { stored.append(row) }
      part?.use { $0.stored = row }
      appendEdit([.update(id)])
    } else {
      if position < stored.count { stored.remove(at: position) }
      if let part { index[id] = (-1, part) } else { releaseAfterUnlocking(removeFromIndex(id)) }
      if let ids { releaseAfterUnlocking(ids.mutate { $0.remove(at: position) }) }
      appendEdit([.remove(id, at: position)])
    }
    guard let part else { return endChange(on: thread) }
    // The call retains the part, which another thread might release after the unlocking.
    endMutation(of: part.takeUnretainedValue(), on: thread)
  }

  /// Ends the mutation of a row that has a part. If the part alone has to be delivered, its mutation goes on
  /// without the table's lock, because a variable's own mutation delivers fastest.
  @inlinable func endMutation(of part: TablePart<Row, Row?>, on thread: CurrentThread) {
    if hasDependents || thread.pointee.openPlaces > 0 {
      part.unlockMutated(on: thread)
      return endChange(on: thread)
    }
    version = version.next
    recordWrite(self, stored, isCommitted: true)
    lock.unlock()
    part.endMutation(on: thread)
  }

  // MARK: - Mistakes

  @usableFromInline func trapDuplicate(_ id: Row.ID) -> Never {
    trap(
      "\(self) already contains a row with the id \(id).",
      "Replace the row with `table[id] = row`, or remove it first."
    )
  }

  @usableFromInline func trapChangedID(from old: Row.ID, to new: Row.ID) -> Never {
    trap(
      "\(self) can't store a row with the id \(new) under the id \(old).",
      "Remove the row, and insert a row with the other id."
    )
  }

  @usableFromInline func trapBounds(_ position: Int) -> Never {
    trap("The position \(position) is out of range. \(self) has \(stored.count) rows.")
  }
}

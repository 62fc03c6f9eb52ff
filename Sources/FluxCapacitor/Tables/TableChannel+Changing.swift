// The changes of a table. The caller of each method holds the channel's lock for a mutation, except where
// the method begins the mutation itself.

extension TableChannel {
  /// Replaces, appends or removes the row with an id.
  ///
  /// - Returns: The former row.
  @inlinable func set(_ row: Row?, for id: Row.ID) -> Row? {
    let thread = beginMutation()
    if let row, row.id != id { trapChangedID(from: id, to: row.id) }
    guard let entry = entry(of: id) else {
      if let row { insert(row, at: stored.count) }
      endChange(on: thread, isChange: row != nil)
      return nil
    }
    guard var row else {
      let row = stored.remove(at: entry.position)
      forget(id)?.write(nil)
      didRemove(id, at: entry.position)
      endChange(on: thread)
      return row
    }
    swap(&stored[entry.position], &row)
    if edits != nil { note([.update(id)]) }
    if let part = entry.part {
      part.use {
        $0.lockForMutation(on: thread)
        $0.stored = stored[entry.position]
      }
      endMutation(of: part, on: thread)
    } else {
      endChange(on: thread)
    }
    return row
  }

  /// Ends a mutation of the table. If parts have been written, the table stays locked until the commit. So
  /// no other thread's change comes between the mutation and its commit.
  @inlinable func endChange(on thread: CurrentThread, isChange: Bool = true) {
    endMutation(on: thread, isChange: isChange, hasParts: true)
  }

  /// Ends the mutation of a row that has a part. If the part alone has to be delivered, its mutation goes on
  /// without the table's lock, because a variable's own mutation delivers fastest.
  @inlinable
  func endMutation(of part: Unmanaged<TablePart<Row, Row?>>, on thread: CurrentThread) {
    if isObserved || thread.hasOpenPlaces {
      part.use { $0.unlockMutated(on: thread) }
      return endChange(on: thread)
    }
    // After unlocking, another thread might release the part.
    let part = part.takeUnretainedValue()
    version = version.next
    lock.unlock()
    part.endMutation(on: thread)
  }

  /// Inserts a row, or traps if the table already contains a row with this id.
  @inlinable func insert(_ row: Row, at position: Int) {
    if position < 0 || position > stored.count { trapBounds(position) }
    let id = row.id
    let former = entries[id, default: Entry()].move(to: position)
    if former.position >= 0 { trapDuplicate(id) }
    stored.insert(row, at: position)
    if position < stored.count - 1 { didShift() }
    former.part?.use { $0.write(row) }
    ids?.mutate { $0.insert(id, at: position) }
    if edits != nil { note([.insert(id, at: position), .update(id)]) }
  }

  /// Removes a row from the index. If code waits for the row, the entry stays.
  ///
  /// - Returns: The part of the row, which the caller sets to `nil`.
  @inlinable func forget(_ id: Row.ID) -> TablePart<Row, Row?>? {
    let part = entries[id]?.part?.takeUnretainedValue()
    if part != nil { entries[id]?.position = -1 } else { entries[id] = nil }
    return part
  }

  /// Brings the other rows' positions, the ids and the edits up to date after a row has left the array.
  @inlinable func didRemove(_ id: Row.ID, at position: Int) {
    if position < stored.count { didShift() }
    ids?.mutate { _ = $0.remove(at: position) }
    if edits != nil { note([.remove(id, at: position)]) }
  }

  /// Moves a row, and returns whether its position has changed.
  @inlinable func move(_ id: Row.ID, from old: Int, to new: Int) -> Bool {
    if new < 0 || new >= stored.count { trapBounds(new) }
    if new == old { return false }
    stored.insert(stored.remove(at: old), at: new)
    entries[id]?.position = new
    didShift()
    ids?.mutate { $0.insert($0.remove(at: old), at: new) }
    if edits != nil { note([.remove(id, at: old), .insert(id, at: new)]) }
    return true
  }

  /// Notes that a change of the order has shifted rows by one position. The positions in the index are
  /// corrected after 64 changes, because hashing all ids takes longer than the change itself.
  @inlinable func didShift() {
    shifts += 1
    if shifts == 64 { renumber() }
  }

  /// Corrects all positions in the index.
  @inlinable func renumber() {
    for position in stored.indices { entries[stored[position].id]?.position = position }
    shifts = 0
  }

  /// Appends changes to the list of edits, if the list exists.
  @inlinable func note(_ changes: [TableEdit<Row.ID>.Change]) {
    guard let edits, !changes.isEmpty else { return }
    edits.write(edits.stored.append(changes))
  }

  // MARK: - A row in place

  /// Begins a change in place, and lends the row with an id, in O(1).
  ///
  /// Until `takeBack`, neither the array nor the row's part contains the row. So the change doesn't copy the
  /// row's own arrays and strings. Meanwhile, a copy of another row takes the place of the lent row.
  @inlinable func lend(_ id: Row.ID) -> CurrentThread {
    let thread = beginChangeInPlace()
    lentID = id
    guard let entry = entry(of: id) else { return thread }
    entry.part?.use {
      $0.lockForMutation(on: thread)
      $0.stored = nil
    }
    lentEntry = entry
    lentRow = stored[entry.position]
    let other = entry.position == 0 ? stored.count - 1 : 0
    if other == entry.position {
      stored.removeLast()
    } else {
      stored[entry.position] = stored[other]
    }
    return thread
  }

  /// Ends a change in place: returns the lent row to its position, or removes the row if it has become
  /// `nil`.
  @inlinable func takeBack(on thread: CurrentThread) {
    trapIfSuspended()
    var entry = Entry()
    swap(&entry, &lentEntry)
    guard let id = lentID, let row = lentRow.take() else {
      return takeBackNothing(entry, on: thread)
    }
    lentID = nil
    if row.id != id { trapChangedID(from: id, to: row.id) }
    guard entry.position >= 0 else {
      insert(row, at: stored.count)
      return endChange(on: thread)
    }
    if edits != nil { note([.update(id)]) }
    if entry.position < stored.count { stored[entry.position] = row } else { stored.append(row) }
    if let part = entry.part {
      part.use { $0.stored = row }
      endMutation(of: part, on: thread)
    } else {
      endChange(on: thread)
    }
  }

  /// Ends a change in place that has left no row.
  @inlinable func takeBackNothing(_ entry: Entry, on thread: CurrentThread) {
    let position = entry.position
    guard let id = lentID.take(), position >= 0 else {
      return endChange(on: thread, isChange: false)
    }
    if position < stored.count { stored.remove(at: position) }
    forget(id)?.unlockMutated(on: thread)
    didRemove(id, at: position)
    endChange(on: thread)
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

extension TableChannel.Entry {
  /// Sets the position, and returns the former entry.
  @inlinable mutating func move(to position: Int) -> Self {
    defer { self.position = position }
    return self
  }
}

extension TableChannel {
  /// Replaces all rows, and finds a small set of changes.
  ///
  /// - Parameter isSame: Returns whether two rows are equal. A row that equals the former row is not stored,
  ///   and calls no observer.
  /// - Returns: The former rows, which the caller releases after unlocking.
  @inlinable func replaceAll(with rows: [Row], isSame: (Row, Row) -> Bool) -> [Row] {
    let thread = beginMutation()
    var hasChanged = false
    defer { endChange(on: thread, isChange: hasChanged) }
    if shifts > 0 { renumber() }
    let formerPositions = positions(of: rows)
    let isSameOrder =
      rows.count == stored.count && formerPositions.enumerated().allSatisfy { $0 == $1 }
    var rows = rows
    var updated: [Int] = []
    for (position, former) in formerPositions.enumerated() where former >= 0 {
      if isSame(stored[former], rows[position]) {
        rows[position] = stored[former]
      } else {
        updated.append(position)
      }
    }
    if isSameOrder, updated.isEmpty { return [] }
    hasChanged = true
    swap(&rows, &stored)
    finishReplacing(rows, formerPositions, updated: updated, isSameOrder: isSameOrder)
    return rows
  }

  /// The positions that rows have in the table, or -1 for rows that the table doesn't contain.
  @inlinable func positions(of rows: [Row]) -> [Int] {
    var isTaken = [Bool](repeating: false, count: stored.count)
    var added: Set<Row.ID> = []
    var next = 0
    return rows.map { row in
      // Most rows follow the row that they followed before, so they need no look-up.
      let id = row.id
      let position =
        next < stored.count && stored[next].id == id ? next : entries[id]?.position ?? -1
      if position >= 0 {
        if isTaken[position] { trapDuplicate(id) }
        isTaken[position] = true
        next = position + 1
      } else if !added.insert(id).inserted {
        trapDuplicate(id)
      }
      return position
    }
  }

  /// Brings index, parts and edits up to date after all rows have been replaced.
  @inlinable func finishReplacing(
    _ former: [Row],
    _ formerPositions: [Int],
    updated: [Int],
    isSameOrder: Bool
  ) {
    var changes: [TableEdit<Row.ID>.Change] = []
    if !isSameOrder { reorder(former, formerPositions, &changes) }
    for position in updated {
      let row = stored[position]
      entries[row.id]?.part?.use { $0.write(row) }
      if edits != nil { changes.append(.update(row.id)) }
    }
    note(changes)
  }

  @inlinable func reorder(
    _ former: [Row],
    _ formerPositions: [Int],
    _ changes: inout [TableEdit<Row.ID>.Change]
  ) {
    // A row stays if its order among the rows that stay doesn't change. The other rows move.
    let stays = isInLongestIncreasingSequence(formerPositions)
    var remains = [Bool](repeating: false, count: former.count)
    var isKept = remains
    for (position, former) in formerPositions.enumerated() where former >= 0 {
      remains[former] = stays[position]
      isKept[former] = true
    }
    var position = 0
    for index in former.indices {
      if !isKept[index] { forget(former[index].id)?.write(nil) }
      if remains[index] {
        position += 1
      } else if edits != nil {
        changes.append(.remove(former[index].id, at: position))
      }
    }
    for (position, former) in formerPositions.enumerated() where former != position {
      let row = stored[position]
      let entry = entries[row.id, default: Entry()].move(to: position)
      if former < 0 { entry.part?.use { $0.write(row) } }
    }
    if edits != nil {
      for (position, stays) in stays.enumerated() where !stays {
        let id = stored[position].id
        changes.append(.insert(id, at: position))
        // A row with this id might have been removed earlier in the transaction.
        if formerPositions[position] < 0 { changes.append(.update(id)) }
      }
    }
    ids?.write(stored.map(\.id))
  }
}

/// Returns, for each number, whether it belongs to the longest increasing sequence. Negative numbers belong
/// to none.
///
/// The longest increasing sequence needs O(n log n) steps. If the numbers increase already, it needs O(n).
@usableFromInline package func isInLongestIncreasingSequence(_ numbers: [Int]) -> [Bool] {
  /// The indices at which the best sequences of each length end, so far.
  var ends: [Int] = []
  var previous = [Int](repeating: -1, count: numbers.count)
  for (index, number) in numbers.enumerated() where number >= 0 {
    let isLast = ends.last.map { numbers[$0] < number } ?? true
    let length =
      isLast ? ends.count : partitioningIndex(of: ends.count) { numbers[ends[$0]] >= number }
    if length > 0 { previous[index] = ends[length - 1] }
    if length == ends.count { ends.append(index) } else { ends[length] = index }
  }
  var belongs = [Bool](repeating: false, count: numbers.count)
  var index = ends.last ?? -1
  while index >= 0 {
    belongs[index] = true
    index = previous[index]
  }
  return belongs
}

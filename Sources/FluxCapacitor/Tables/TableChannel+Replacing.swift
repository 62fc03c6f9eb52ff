extension TableChannel {
  /// Replaces all rows, and finds a small set of changes.
  ///
  /// - Parameter isSame: Returns whether two rows are equal. A row that equals the former row is not stored,
  ///   and calls no observer.
  /// - Returns: The former rows, which the caller releases after unlocking.
  @inlinable func replaceAll(with rows: [Row], isSame: (Row, Row) -> Bool) -> [Row] {
    let thread = beginMutation()
    var next = 0
    // The positions that the rows have in the table, or -1 for rows that the table doesn't contain.
    let origins = rows.map { row in
      // Most rows follow the row that they followed before, so they need no look-up.
      let origin = has(row.id, at: next) ? next : entry(of: row.id).position
      next = origin + 1
      return origin
    }
    let isReordered = !origins.elementsEqual(stored.indices)
    var isWritten = [Bool](repeating: true, count: rows.count)
    let given = rows
    var rows = rows
    for (position, origin) in origins.enumerated()
    where origin >= 0 && isSame(stored[origin], rows[position]) {
      rows[position] = stored[origin]
      isWritten[position] = false
    }
    let isChange = isReordered || isWritten.contains(true)
    if isChange {
      swap(&rows, &stored)
      releaseAfterUnlocking(finishReplacing(rows, origins, isWritten))
      if isReordered { releaseAfterUnlocking(ids?.write(stored.map(\.id))) }
    }
    endChange(on: thread, isChange: isChange)
    // Otherwise, optimized code could release these rows under the lock.
    withExtendedLifetime((given, rows)) {}
    return rows
  }

  /// Brings index, parts and edits up to date after all rows have been replaced.
  ///
  /// - Returns: The keys that have left the index.
  @inlinable
  func finishReplacing(_ former: [Row], _ origins: [Int], _ isWritten: [Bool]) -> [Row.ID] {
    var destinations = [Int](repeating: -1, count: former.count)
    for (position, origin) in origins.enumerated() where origin >= 0 {
      if destinations[origin] >= 0 { trapDuplicate(former[origin].id) }
      destinations[origin] = position
    }
    // A row stays if its order among the rows that stay doesn't change. The other rows move.
    let stays = isInLongestIncreasingSequence(origins)
    var changes: [TableEdit<Row.ID>.Change] = []
    var keys: [Row.ID] = []
    var position = 0
    for (row, destination) in zip(former, destinations) {
      if destination < 0, let part = index[row.id]?.part {
        index[row.id] = (-1, part)
        part.use { _ = $0.write(nil) }
      } else if destination < 0, let key = removeFromIndex(row.id) {
        keys.append(key)
      }
      if destination >= 0, stays[destination] {
        position += 1
      } else {
        changes.append(.remove(row.id, at: position))
      }
    }
    for (position, row) in stored.enumerated() {
      let origin = origins[position]
      if origin < 0 {
        _ = addToIndex(row.id, at: position)
      } else if origin != position {
        index[row.id]?.position = position
      }
      if !stays[position] { changes.append(.insert(row.id, at: position)) }
      if isWritten[position] {
        // A new row also counts as updated, because a row with its id might have been removed earlier in the
        // transaction.
        changes.append(.update(row.id))
        index[row.id]?.part?.use { _ = $0.write(row) }
      }
    }
    appendEdit(changes)
    return keys
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

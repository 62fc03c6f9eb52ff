/// Changes of a table, in a list from the oldest to the latest. The latest edit has no changes after it.
///
/// A part of the table has the latest edit as its value. Each observer of the table's changes keeps the last
/// edit that it has received. So it finds its new changes by following `next`, and the older edits are
/// released with their last observer.
@usableFromInline
final class TableEdit<ID: Hashable & Sendable>: @unchecked Sendable {
  @usableFromInline enum Change: Sendable {
    case insert(ID, at: Int)
    case remove(ID, at: Int)
    case update(ID)
  }

  @usableFromInline let changes: [Change]

  /// The number of edits before this one in the list.
  @usableFromInline let number: Int

  // The table sets this property once, under its lock, before it writes the next edit into the part. An
  // observer reads this property only after it has received a later edit.
  @usableFromInline var next: TableEdit?

  @inlinable init(_ changes: [Change] = [], after former: TableEdit? = nil) {
    self.changes = changes
    number = former.map { $0.number + 1 } ?? 0
  }

  deinit {
    // The next edit is released in a loop, because nested releases of a long list would overflow the stack.
    if let next = next.take() { CurrentThread.current.release(consume next) }
  }
}

/// The sum of many changes, as the difference between the ids before and the ids after them.
///
/// The ids are a list of pieces. Each piece has ids that were inserted, and a range of ids that were kept.
/// The list begins with one piece that keeps everything. Each change splits at most one piece, so the
/// number of pieces depends only on the changes. This structure is known as a piece table.
///
/// The list has a gap, like the buffer of a text editor: the pieces before and after the current piece are in
/// two separate arrays. So a change near the previous change takes O(1).
@usableFromInline struct TableDifference<ID: Hashable & Sendable> {
  @usableFromInline struct Piece {
    @usableFromInline var inserted: [ID]
    @usableFromInline var kept: Range<Int>

    @inlinable init(inserted: [ID], kept: Range<Int>) {
      (self.inserted, self.kept) = (inserted, kept)
    }

    @inlinable var count: Int { inserted.count + kept.count }
  }

  /// The pieces before the current piece.
  @usableFromInline var before: [Piece] = []
  @usableFromInline var current: Piece

  /// The pieces after the current piece, from the last one to the next one.
  @usableFromInline var after: [Piece] = []

  /// The position of the current piece's first id.
  @usableFromInline var start = 0

  /// The removed ids by their former positions.
  @usableFromInline var removed: [Int: ID] = [:]

  /// The ids that were inserted and removed again.
  @usableFromInline var vanished: Set<ID> = []
  @usableFromInline var updated: [ID] = []

  /// Creates the difference without changes.
  @inlinable init() { current = Piece(inserted: [], kept: 0..<Int.max / 2) }

  /// Creates the difference that inserts all ids.
  @inlinable init(inserting ids: [ID]) { current = Piece(inserted: ids, kept: 0..<0) }

  @inlinable mutating func apply(_ change: TableEdit<ID>.Change) {
    switch change {
    case .insert(let id, let position): insert(id, at: position)
    case .remove(let id, let position): remove(id, at: position)
    case .update(let id): updated.append(id)
    }
  }

  /// Applies the edits after the last received edit, up to a later edit.
  @inlinable mutating func apply(after received: inout TableEdit<ID>, through latest: TableEdit<ID>)
  {
    while received !== latest, let next = received.next {
      for change in next.changes { apply(change) }
      received = next
    }
  }

  /// Makes the piece that contains a range of positions the current piece.
  @inlinable mutating func seek(_ range: Range<Int>) {
    while start > range.lowerBound, let piece = before.popLast() {
      after.append(current)
      current = piece
      start -= piece.count
    }
    while start + current.count < range.upperBound, let piece = after.popLast() {
      start += current.count
      before.append(current)
      current = piece
    }
  }

  @inlinable mutating func insert(_ id: ID, at position: Int) {
    seek(position..<position)
    let offset = position - start
    let keptOffset = offset - current.inserted.count
    if keptOffset <= 0 { return current.inserted.insert(id, at: offset) }
    let split = current.kept.lowerBound + keptOffset
    after.append(Piece(inserted: [id], kept: split..<current.kept.upperBound))
    current.kept = current.kept.lowerBound..<split
  }

  @inlinable mutating func remove(_ id: ID, at position: Int) {
    seek(position..<position + 1)
    let offset = position - start
    let keptOffset = offset - current.inserted.count
    if keptOffset < 0 {
      vanished.insert(current.inserted.remove(at: offset))
      return
    }
    let split = current.kept.lowerBound + keptOffset
    removed[split] = id
    after.append(Piece(inserted: [], kept: split + 1..<current.kept.upperBound))
    current.kept = current.kept.lowerBound..<split
  }

  /// The changes for an observer, or `nil` if the changes have cancelled each other.
  @inlinable var changes: TableChanges<ID>? {
    var inserted: [ID: Int] = [:]
    var end = 0
    for piece in before + [current] + after.reversed() {
      for (offset, id) in piece.inserted.enumerated() { inserted[id] = end + offset }
      end += piece.count
    }
    let former = Dictionary(removed.map { ($1, $0) }) { first, _ in first }
    var known: Set<ID> = []
    let updated = updated.filter { id in
      let isOld = former[id] != nil || inserted[id] == nil && !vanished.contains(id)
      let isPresent = inserted[id] != nil || former[id] == nil
      return isOld && isPresent && known.insert(id).inserted
    }
    if inserted.isEmpty, removed.isEmpty, updated.isEmpty { return nil }
    let changes =
      removed.map {
        CollectionDifference.Change.remove(offset: $0, element: $1, associatedWith: inserted[$1])
      }
      + inserted.map { .insert(offset: $1, element: $0, associatedWith: former[$0]) }
    return CollectionDifference(changes).map { TableChanges(difference: $0, updated: updated) }
  }
}

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
    if let next = next.take() { currentThread().release(consume next) }
  }
}

/// The sum of many changes, as the difference between the ids before and the ids after them.
///
/// The ids are a list of pieces. Each piece has ids that were inserted, and a range of ids that were kept.
/// The list begins with one piece that keeps everything. Each change splits at most one piece, so the
/// number of pieces depends only on the changes. This structure is known as a piece table.
///
/// The pieces are in chunks. A chunk with more pieces than there are chunks, but at least 64, is split. So each of k changes
/// looks at O(√k) chunks and pieces, wherever it is.
@usableFromInline struct TableDifference<ID: Hashable & Sendable> {
  @usableFromInline struct Piece {
    @usableFromInline var inserted: [ID]
    @usableFromInline var kept: Range<Int>

    @inlinable init(inserted: [ID], kept: Range<Int>) {
      (self.inserted, self.kept) = (inserted, kept)
    }

    @inlinable var count: Int { inserted.count + kept.count }

    /// Shortens the piece, and returns the piece with the ids after the split, apart from the skipped ones.
    @inlinable mutating func split(at position: Int, skipping count: Int, inserting ids: [ID])
      -> Piece
    {
      let split = kept.lowerBound + position - inserted.count
      defer { kept = kept.lowerBound..<split }
      return Piece(inserted: ids, kept: split + count..<kept.upperBound)
    }

    /// Shortens the piece, and returns a piece with the second half of the inserted ids.
    @inlinable mutating func halve() -> Piece {
      let half = inserted.count / 2
      let next = Piece(inserted: Array(inserted[half...]), kept: kept)
      self = Piece(inserted: Array(inserted[..<half]), kept: kept.lowerBound..<kept.lowerBound)
      return next
    }
  }

  @usableFromInline struct Chunk {
    @usableFromInline var pieces: [Piece]

    /// The number of ids in the pieces.
    @usableFromInline var count: Int

    @inlinable init(_ pieces: [Piece]) {
      self.pieces = pieces
      count = pieces.reduce(0) { $0 + $1.count }
    }
  }

  /// The piece with which the list begins.
  @usableFromInline let first: Piece

  /// The chunks, or none before the first insertion or removal.
  @usableFromInline var chunks: [Chunk] = []

  /// The removed ids by their former positions.
  @usableFromInline var removed: [Int: ID] = [:]

  /// The ids that were inserted and removed again.
  @usableFromInline var vanished: Set<ID> = []
  @usableFromInline var updated: [ID] = []

  /// Creates the difference without changes.
  @inlinable init() { first = Piece(inserted: [], kept: 0..<Int.max / 2) }

  /// Creates the difference that inserts all ids.
  @inlinable init(inserting ids: [ID]) { first = Piece(inserted: ids, kept: 0..<0) }

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

  /// Calls a closure with the piece that contains the last id before an end, and with the end's position in the piece.
  ///
  /// - Parameter body: Changes the piece by `growth` ids, and returns a piece to insert after it.
  @inlinable static func change(
    _ chunks: inout [Chunk],
    from first: Piece,
    through end: Int,
    by growth: Int,
    _ body: (_ piece: inout Piece, _ end: Int) -> Piece?
  ) {
    if chunks.isEmpty { chunks = [Chunk([first])] }
    var (chunk, piece, end) = (0, 0, end)
    while chunks[chunk].count < end {
      end -= chunks[chunk].count
      chunk += 1
    }
    while chunks[chunk].pieces[piece].count < end {
      end -= chunks[chunk].pieces[piece].count
      piece += 1
    }
    chunks[chunk].count += growth
    guard let next = body(&chunks[chunk].pieces[piece], end) else { return }
    chunks[chunk].pieces.insert(next, at: piece + 1)
    let count = chunks[chunk].pieces.count
    if count > max(64, chunks.count) {
      chunks.insert(Chunk(Array(chunks[chunk].pieces[(count / 2)...])), at: chunk + 1)
      chunks[chunk] = Chunk(Array(chunks[chunk].pieces[..<(count / 2)]))
    }
  }

  @inlinable mutating func insert(_ id: ID, at position: Int) {
    TableDifference.change(&chunks, from: first, through: position, by: 1) { piece, position in
      if position <= piece.inserted.count {
        piece.inserted.insert(id, at: position)
        return piece.inserted.count > 512 ? piece.halve() : nil
      }
      return piece.split(at: position, skipping: 0, inserting: [id])
    }
  }

  @inlinable mutating func remove(_ id: ID, at position: Int) {
    TableDifference.change(&chunks, from: first, through: position + 1, by: -1) { piece, end in
      if end <= piece.inserted.count {
        vanished.insert(piece.inserted.remove(at: end - 1))
        return nil
      }
      let next = piece.split(at: end - 1, skipping: 1, inserting: [])
      removed[piece.kept.upperBound] = id
      return next
    }
  }

  /// The changes for an observer, or `nil` if the changes have cancelled each other.
  @inlinable var changes: TableChanges<ID>? {
    var inserted: [ID: Int] = [:]
    var end = 0
    for piece in chunks.isEmpty ? [first] : chunks.flatMap(\.pieces) {
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
    // If all removed rows have returned to their places, the order hasn't changed.
    let isSameOrder = inserted == former
    if isSameOrder, updated.isEmpty { return nil }
    let changes =
      isSameOrder
      ? []
      : removed.map {
        CollectionDifference.Change.remove(offset: $0, element: $1, associatedWith: inserted[$1])
      } + inserted.map { .insert(offset: $1, element: $0, associatedWith: former[$0]) }
    return CollectionDifference(changes).map { TableChanges(difference: $0, updated: updated) }
  }
}

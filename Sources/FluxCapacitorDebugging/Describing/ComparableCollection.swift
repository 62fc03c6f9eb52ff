import FluxCapacitor

/// A collection that lists its own changed elements.
///
/// The conformances know the types of the elements, so they compare elements much faster than a mirror could.
protocol ComparableCollection {
  /// Lists the changed elements.
  ///
  /// - Returns: Whether the former value is a collection of the same type.
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool
}

/// Returns whether two elements have the same bytes or are equal. Values without `==` might be alike even if
/// the result is false.
private func areSame<Value>(_ first: Value, _ second: Value) -> Bool {
  haveSameBytes(first, second) || areEqual(first, second)
}

extension Comparison {
  /// Lists the changes of elements that have no order, sorted by the texts of their keys.
  fileprivate mutating func compare<Key, Value>(
    _ elements: [(key: Key, old: Value?, new: Value?)],
    at path: (Key) -> ValuePath
  ) {
    let listed = elements.prefix(budget.changes * 10)
    let named = listed.map { (path: path($0.key), element: $0) }
    for (path, element) in named.sorted(by: { $0.path.text < $1.path.text }) {
      if let old = element.old, let new = element.new {
        compare(old, new, at: path)
      } else {
        note(old: element.old, new: element.new, at: path)
      }
    }
    let rest = elements.dropFirst(listed.count)
    let changed =
      Value.self is any Equatable.Type ? rest.count : rest.count { $0.old == nil || $0.new == nil }
    difference.omitted += changed
    difference.uncompared += rest.count - changed
  }
}

extension Dictionary: ComparableCollection {
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool {
    guard let old = old as? [Key: Value] else { return false }
    comparison.noteCount(from: old.count, to: count, at: path)
    var changed: [(key: Key, old: Value?, new: Value?)] = []
    var insertions = 0
    // A dictionary that was changed in place has its other entries in the same order as before.
    var entries = old.makeIterator()
    var next = entries.next()
    for (key, value) in self {
      if let entry = next, haveSameBytes(entry.key, key), areSame(entry.value, value) {
        next = entries.next()
        continue
      }
      while let entry = next, self[entry.key] == nil { next = entries.next() }
      if let entry = next, entry.key == key { next = entries.next() }
      let former = old[key]
      if former == nil { insertions += 1 }
      if let former, areSame(former, value) { continue }
      changed.append((key, former, value))
    }
    if old.count + insertions != count {
      changed += old.lazy.filter { self[$0.key] == nil }.map { ($0.key, $0.value, nil) }
    }
    comparison.compare(changed, at: path.entry)
    return true
  }
}

extension Set: ComparableCollection {
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool {
    guard let old = old as? Set else { return false }
    comparison.noteCount(from: old.count, to: count, at: path)
    let removed = old.subtracting(self).map { (key: $0, old: Optional($0), new: Element?.none) }
    let inserted = subtracting(old).map { (key: $0, old: Element?.none, new: Optional($0)) }
    comparison.compare(removed + inserted, at: path.member)
    return true
  }
}

extension Array: ComparableCollection {
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool {
    guard let old = old as? [Element] else { return false }
    comparison.noteCount(from: old.count, to: count, at: path)
    let shorter = Swift.min(count, old.count)
    let start = (0..<shorter).first { !areSame(old[$0], self[$0]) } ?? shorter
    let rest = shorter - start
    let end = (0..<rest).first { !areSame(old[old.count - 1 - $0], self[count - 1 - $0]) } ?? rest
    let (formers, elements) = (old[start..<old.count - end], self[start..<count - end])
    if let rows = elements as? any Rows, rows.compare(with: formers, at: path, in: &comparison) {
      return true
    }
    elements.compareByPosition(with: formers, at: path, in: &comparison)
    return true
  }
}

extension Collection {
  /// Lists the changed elements of a collection that has no comparison of its own.
  ///
  /// - Returns: Whether the former value is a collection of the same type.
  func compareElements(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool {
    guard let old = old as? Self else { return false }
    return Array(self).compare(with: Array(old), at: path, in: &comparison)
  }
}

/// A list of rows with ids.
private protocol Rows {
  /// Lists the removed rows, and then the other changes in the order of the rows.
  ///
  /// - Returns: Whether each id is unique.
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool
}

extension ArraySlice: Rows where Element: Identifiable {
  func compare(with old: Any, at path: ValuePath, in comparison: inout Comparison) -> Bool {
    guard let old = old as? ArraySlice else { return false }
    if compareInPlace(with: old, at: path, in: &comparison) { return true }
    let formerPositions = Dictionary(zip(old.map(\.id), old.indices)) { first, _ in first }
    let ids = Set(map(\.id))
    guard formerPositions.count == old.count, ids.count == count else { return false }
    for (index, row) in zip(old.indices, old) where !ids.contains(row.id) {
      comparison.note(old: row, new: nil, at: path.element(at: index, row: row))
    }
    let positions = map { formerPositions[$0.id] ?? -1 }
    let stay = isInLongestIncreasingSequence(positions)
    for (position, (former, stays)) in zip(indices, zip(positions, stay)) {
      let row = self[position]
      if former >= 0, stays, areSame(old[former], row) { continue }
      let path = path.element(at: position, row: row)
      guard former >= 0 else {
        comparison.note(old: nil, new: row, at: path)
        continue
      }
      if !stays { comparison.note(old: former, new: position, at: path.position) }
      comparison.compare(old[former], row, at: path)
    }
    return true
  }
}

extension ArraySlice where Element: Identifiable {
  /// Lists the changes of rows that are in the same order as before. This method is faster than a search for
  /// moved rows.
  ///
  /// - Returns: Whether the rows have the same ids as before, and the id of each changed row is unique.
  fileprivate func compareInPlace(
    with old: ArraySlice,
    at path: ValuePath,
    in comparison: inout Comparison
  ) -> Bool {
    guard indices == old.indices else { return false }
    var changed: [Int] = []
    for position in indices where !haveSameBytes(old[position], self[position]) {
      guard old[position].id == self[position].id else { return false }
      if !areEqual(old[position], self[position]) { changed.append(position) }
    }
    guard Set(changed.map { self[$0].id }).count == changed.count else { return false }
    for position in changed {
      let path = path.element(at: position, row: self[position])
      comparison.compare(old[position], self[position], at: path)
    }
    return true
  }
}

extension ArraySlice {
  /// Lists the changes of elements without ids.
  fileprivate func compareByPosition(
    with old: ArraySlice,
    at path: ValuePath,
    in comparison: inout Comparison
  ) {
    // `CollectionDifference` can take a time that grows with the square of the count.
    let isShort = Swift.max(count, old.count) <= 300
    let (removed, inserted) =
      count != old.count && isShort ? changedOffsets(from: old) : (removed: [], inserted: [])
    var (former, position) = (0, 0)
    while former < old.count || position < count {
      let isRemoved = removed.contains(former) || position >= count
      let isInserted = inserted.contains(position) || former >= old.count
      if isRemoved == isInserted {
        let (element, index) = (old[old.startIndex + former], startIndex + position)
        if !areSame(element, self[index]) {
          comparison.compare(element, self[index], at: path.element(at: index))
        }
      } else if isRemoved {
        let index = old.startIndex + former
        comparison.note(old: old[index], new: nil, at: path.element(at: index))
      } else {
        let index = startIndex + position
        comparison.note(old: nil, new: self[index], at: path.element(at: index))
      }
      if isRemoved || !isInserted { former += 1 }
      if isInserted || !isRemoved { position += 1 }
    }
  }

  private func changedOffsets(from old: ArraySlice) -> (removed: Set<Int>, inserted: Set<Int>) {
    if Element.self is any Equatable.Type { return difference(from: old, by: areSame).offsets }
    // The comparison of trees is fast, and a small tree is enough to find the likely pairs.
    let budget = TreeBudget(bytes: 200)
    let (trees, formers) = (
      map { ValueTree(of: $0, within: budget) }, old.map { ValueTree(of: $0, within: budget) }
    )
    return trees.difference(from: formers).offsets
  }
}

extension CollectionDifference {
  /// The offsets of the removed and of the inserted elements.
  package var offsets: (removed: Set<Int>, inserted: Set<Int>) {
    var offsets: (removed: Set<Int>, inserted: Set<Int>) = ([], [])
    for change in self {
      switch change {
      case .remove(let offset, _, _): offsets.removed.insert(offset)
      case .insert(let offset, _, _): offsets.inserted.insert(offset)
      }
    }
    return offsets
  }
}

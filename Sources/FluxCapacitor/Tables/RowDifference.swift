/// A difference between two lists of rows, for logs, failing tests and the explorer.
package struct RowDifference {
  /// The id of the row.
  package let id: Any

  /// The changed property of the row, such as `.title`, or ` position`. If the row appears or disappears, this
  /// text is empty.
  package let detail: String

  package let old: Any?
  package let new: Any?

  /// Returns the differences between two arrays of rows with unique ids. The result is `nil` for all other
  /// values, and for arrays without a difference.
  package static func all(from old: Any, to new: Any) -> [RowDifference]? {
    let differences = (new as? any RowList)?.rowDifferences(from: old) ?? []
    return differences.isEmpty ? nil : differences
  }
}

private protocol RowList {
  func rowDifferences(from old: Any) -> [RowDifference]?
}

extension Array: RowList where Element: Identifiable {
  /// The removed rows, and then the other differences in the order of this array's rows.
  fileprivate func rowDifferences(from old: Any) -> [RowDifference]? {
    guard let old = old as? [Element] else { return nil }
    // Usually, most rows are equal.
    let equatable = self as? any EquatableList
    let start = equatable?.countOfEqual(to: old, fromEnd: false) ?? 0
    let end = equatable?.countOfEqual(to: old, fromEnd: true) ?? 0
    let rest = Swift.min(end, Swift.min(count, old.count) - start)
    return Self.differences(from: old[start..<old.count - rest], to: self[start..<count - rest])
  }

  private static func differences(
    from old: ArraySlice<Element>,
    to new: ArraySlice<Element>
  ) -> [RowDifference]? {
    let formerPositions = Dictionary(zip(old.map(\.id), old.indices)) { first, _ in first }
    let ids = Set(new.map(\.id))
    guard formerPositions.count == old.count, ids.count == new.count else { return nil }
    var differences = old.filter { !ids.contains($0.id) }.map {
      RowDifference(id: $0.id, detail: "", old: $0, new: nil)
    }
    let positions = new.map { formerPositions[$0.id] ?? -1 }
    let stay = isInLongestIncreasingSequence(positions)
    for (position, (former, stays)) in zip(new.indices, zip(positions, stay)) {
      let row = new[position]
      if former < 0 {
        differences.append(RowDifference(id: row.id, detail: "", old: nil, new: row))
        continue
      }
      if !stays {
        differences.append(
          RowDifference(id: row.id, detail: " position", old: former, new: position)
        )
      }
      differences += Self.differences(between: old[former], and: row)
    }
    return differences
  }

  private static func differences(between old: Element, and new: Element) -> [RowDifference] {
    if isSame(old, new) { return [] }
    let (mirror, other) = (Mirror(reflecting: old), Mirror(reflecting: new))
    let fields = zip(mirror.children, other.children).compactMap { field, other in
      isSame(field.value, other.value)
        ? nil
        : RowDifference(
          id: new.id,
          detail: ".\(field.label ?? "")",
          old: field.value,
          new: other.value
        )
    }
    let isStruct = mirror.displayStyle == .struct && !fields.isEmpty
    return isStruct ? fields : [RowDifference(id: new.id, detail: "", old: old, new: new)]
  }
}

private protocol EquatableList {
  func countOfEqual(to old: Any, fromEnd isFromEnd: Bool) -> Int
}

extension Array: EquatableList where Element: Equatable {
  /// Returns the number of equal elements before the first difference, or after the last one.
  fileprivate func countOfEqual(to old: Any, fromEnd isFromEnd: Bool) -> Int {
    guard let old = old as? [Element] else { return 0 }
    let shorter = Swift.min(count, old.count)
    let difference = (0..<shorter).first {
      isFromEnd ? self[count - 1 - $0] != old[old.count - 1 - $0] : self[$0] != old[$0]
    }
    return difference ?? shorter
  }
}

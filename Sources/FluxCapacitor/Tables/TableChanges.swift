/// The changes that one transaction makes to a table, for a list on a screen. `observeChanges` delivers them.
public struct TableChanges<ID: Hashable & Sendable>: Sendable {
  /// The ids of the rows that were removed and inserted. A moved row is a removal and an insertion that are associated with
  /// each other.
  ///
  /// Apply this difference to the ids that you show: `ids.applying(changes.difference)`.
  public let difference: CollectionDifference<ID>

  /// The ids of the rows that were in the table before and after, and were written, in the order of their changes. If
  /// such a row has also moved, ``difference`` contains it, too.
  public let updated: [ID]

  @inlinable init(difference: CollectionDifference<ID>, updated: [ID]) {
    self.difference = difference
    self.updated = updated
  }
}

/// The changes of a table from one transaction, for a list on a screen.
///
/// The observers of `observeChanges` of a ``PrimitiveTable`` receive these changes.
public struct TableChanges<ID: Hashable & Sendable>: Sendable {
  /// The ids of the rows that were removed and inserted. A moved row appears as a removal and an insertion
  /// that are associated with each other.
  ///
  /// Apply this difference to the ids that you show: `ids.applying(changes.difference)`.
  public let difference: CollectionDifference<ID>

  /// The ids of the rows that were in the table before and after, and have a new value, in the order of
  /// their changes. A row that has moved and has a new value is also in ``difference``.
  public let updated: [ID]

  @inlinable init(difference: CollectionDifference<ID>, updated: [ID]) {
    self.difference = difference
    self.updated = updated
  }
}

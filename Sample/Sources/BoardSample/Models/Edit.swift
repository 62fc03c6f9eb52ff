/// A change of one card. An edit without an old card adds the card, and an edit without a new card
/// removes the card.
package struct Edit: Codable, Equatable, Sendable {
  package let id: Card.ID
  package let old: Card?
  package let new: Card?

  package init(id: Card.ID, old: Card?, new: Card?) {
    self.id = id
    self.old = old
    self.new = new
  }
}

extension [Edit] {
  /// The edits that lead from the old cards to the new cards, sorted by the numbers of the cards.
  init(from old: [Card], to new: [Card]) {
    let old = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
    let new = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0) })
    self = Set(old.keys).union(new.keys).sorted()
      .filter { old[$0] != new[$0] }
      .map { Edit(id: $0, old: old[$0], new: new[$0]) }
  }
}

/// A card as the server knows it.
package struct ConfirmedCard: Identifiable, Codable, Equatable, Sendable {
  package let card: Card

  /// The revision of the board's cards when the board sent the card.
  package let revision: Int

  package var id: Card.ID { card.id }
}

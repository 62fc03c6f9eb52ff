/// A task on the board.
package struct Card: Identifiable, Codable, Equatable, Sendable {
  /// The number that the user types to name the card. The board never reuses a number.
  package let id: Int
  package var title: String
  package var isDone = false

  /// The highest number of a card, so that the board never runs out of numbers.
  static let highestID = 1_000_000_000

  /// The highest revision of the board's cards, at which the count of changes stops.
  static let highestRevision = Int.max / 2

  package init(id: Int, title: String, isDone: Bool = false) {
    self.id = id
    self.title = title
    self.isDone = isDone
  }
}

/// A task on the board.
package struct Card: Identifiable, Codable, Equatable, Sendable {
  /// The number that the user types to name the card. The board never reuses a number.
  package let id: Int
  package var title: String
  package var isDone = false

  package init(id: Int, title: String, isDone: Bool = false) {
    self.id = id
    self.title = title
    self.isDone = isDone
  }
}

/// The reason why a file's cards can't be shown. A person might have edited the file.
package struct InvalidCards: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  static func check(revision: Int) throws(InvalidCards) {
    guard (0...Card.highestRevision).contains(revision) else {
      throw InvalidCards("a revision is \(revision)")
    }
  }
}

extension [Card] {
  /// Checks that each card has a number of its own.
  func checkNumbers() throws(InvalidCards) {
    let ids = map(\.id)
    if let id = Dictionary(grouping: ids, by: \.self).first(where: { $1.count > 1 })?.key {
      throw InvalidCards("two cards have the number \(id)")
    }
    if let id = ids.first(where: { !(1...Card.highestID).contains($0) }) {
      throw InvalidCards("a card has the number \(id)")
    }
  }
}

/// The visible cards.
struct Page: Equatable, Sendable {
  let searchText: String
  let cards: [Card]

  init(of cards: [Card], searchText: String) {
    self.searchText = searchText
    self.cards = cards.filter {
      searchText.isEmpty || $0.title.lowercased().contains(searchText.lowercased())
    }
  }

  var text: String {
    let lines = cards.map { "\($0.id) [\($0.isDone ? "x" : " ")] \($0.title.harmless)" }
    let searchText = searchText.harmless
    return switch (searchText.isEmpty, lines.isEmpty) {
    case (true, true): "The board is empty. Type add and a title."
    case (true, false): lines.joined(separator: "\n")
    case (false, true): "No card contains “\(searchText)”. Type find to show all cards."
    case (false, false): (["Cards with “\(searchText)”:"] + lines).joined(separator: "\n")
    }
  }
}

/// The numbers of cards, including invisible cards.
struct Summary: Equatable, Sendable {
  let open: Int
  let done: Int
  let unsynced: Int

  init(of cards: [Card], unsynced: [Edit]) {
    done = cards.count(where: \.isDone)
    open = cards.count - done
    self.unsynced = unsynced.count
  }

  var text: String {
    "\(open) to do, \(done) done, \(unsynced == 0 ? "all synced" : "\(unsynced) not synced")"
  }
}

extension SyncStore.Failure {
  var text: String {
    switch error {
    case .refused(let reason):
      "The server has refused card \(edit.id). \(reason.harmless) Type undo to restore your edit."
    case .unreachable: "The server is unreachable. Your edits are kept. Type sync to try again."
    }
  }
}

import FluxCapacitor
import FluxCapacitorPersistence

/// Stores the cards, and the edits that the user can undo and redo.
package final class CardStore: Storable {
  package typealias DispatchStateType = Dispatcher.Cards

  /// The cards, sorted by their numbers.
  package var cards: ConstantTable<Card> { _cards.constant }
  private let _cards = VariableTable<Card>()

  package let canUndo: Constant<Bool>
  package let canRedo: Constant<Bool>
  private let undoable = Variable<[Edit]>([])
  private let redoable = Variable<[Edit]>([])

  /// Whether a number is left for another card.
  package let canAdd: Constant<Bool>
  private let lastID = Variable(0)

  /// The number of changes to the cards so far. Of two versions of the cards, the newer one has the higher revision.
  package var revision: Constant<Int> { _revision.constant }
  private let _revision = Variable(0)

  package init() {
    canAdd = lastID.map { $0 < Card.highestID }.removeDuplicates()
    canUndo = undoable.map { !$0.isEmpty }.removeDuplicates()
    canRedo = redoable.map { !$0.isEmpty }.removeDuplicates()
  }

  package func reduce(with state: Dispatcher.Cards) {
    switch state {
    case .add(let title):
      guard canAdd.value else { return }
      lastID.value += 1
      edit(lastID.value) { $0 = Card(id: lastID.value, title: title) }
    case .rename(let id, let title):
      edit(id) { $0?.title = title }
    case .setDone(let id, let isDone):
      edit(id) { $0?.isDone = isDone }
    case .remove(let id):
      edit(id) { $0 = nil }
    case .undo:
      guard let edit = undoable.modify({ $0.popLast() }) else { return }
      show(edit.old, as: edit.id)
      redoable.value.append(edit)
    case .redo:
      guard let edit = redoable.modify({ $0.popLast() }) else { return }
      show(edit.new, as: edit.id)
      undoable.value.append(edit)
    case .rollBack(let edit):
      // A newer edit of the card stays. The next sync sends the newer edit.
      guard _cards[id: edit.id] == edit.new else { return }
      replace(edit.id, by: edit.old)
    case .takeBack(let confirmed):
      let newer = confirmed.filter { $0.revision > revision.value }
      // The next edit is newer than these cards.
      _revision.value = newer.map(\.revision).max() ?? revision.value
      for card in newer.map(\.card) where card != _cards[id: card.id] {
        replace(card.id, by: card)
        lastID.value = max(lastID.value, card.id)
      }
    case .skipNumbers(let id, let count):
      lastID.value = min(max(lastID.value, id) + count, Card.highestID)
    }
  }

  private func edit(_ id: Card.ID, _ change: (inout Card?) -> Void) {
    let old = _cards[id: id]
    var new = old
    change(&new)
    guard new != old else { return }
    show(new, as: id)
    noteUndoable(Edit(id: id, old: old, new: new))
    redoable.value = []
  }

  /// Shows the server's card. The user can undo this change.
  private func replace(_ id: Card.ID, by card: Card?) {
    noteUndoable(Edit(id: id, old: _cards[id: id], new: card))
    redoable.value.removeAll { $0.id == id }
    show(card, as: id)
  }

  private func noteUndoable(_ edit: Edit) {
    undoable.value = (undoable.value + [edit]).suffix(100)
  }

  private func show(_ card: Card?, as id: Card.ID) {
    // A person might have written the highest revision into the file.
    _revision.value = min(_revision.value + 1, Card.highestRevision)
    if let card, _cards[id: id] == nil {
      _cards.insert(card, at: _cards.ids.value.prefix { $0 < id }.count)
    } else {
      _cards[id: id] = card
    }
  }
}

extension CardStore: Persistable {
  package struct Saved: Codable, Sendable {
    let cards: [Card]
    let undoable: [Edit]
    let redoable: [Edit]
    let lastID: Int

    /// The revision of the cards. An older version of the board hasn't saved it.
    let revision: Int?

    /// Checks what the board relies on, because a person can edit the file.
    func check() throws(InvalidCards) {
      try cards.checkNumbers()
      let edits = undoable + redoable
      if let id = (cards.map(\.id) + edits.map(\.id)).max(), id > lastID {
        throw InvalidCards("the last number is \(lastID), but a card has the number \(id)")
      }
      guard (0...Card.highestID).contains(lastID) else {
        throw InvalidCards("the last number is \(lastID)")
      }
      try InvalidCards.check(revision: revision ?? 0)
      for edit in edits {
        guard edit.id > 0 else { throw InvalidCards("an edit has the number \(edit.id)") }
        for card in [edit.old, edit.new] where card.map({ $0.id != edit.id }) ?? false {
          throw InvalidCards("an edit of card \(edit.id) changes the card's number")
        }
      }
    }
  }

  package static let archive = Archive(Saved.self, named: "cards", version: 1)

  package var saved: Saved {
    Saved(
      cards: _cards.rows.value,
      undoable: undoable.value,
      redoable: redoable.value,
      lastID: lastID.value,
      revision: revision.value
    )
  }

  package func restore(_ saved: Saved) throws {
    try saved.check()
    _cards.replaceAll(with: saved.cards.sorted { $0.id < $1.id })
    undoable.value = saved.undoable
    redoable.value = saved.redoable
    lastID.value = saved.lastID
    _revision.value = saved.revision ?? 0
  }
}

import FluxCapacitor
import FluxCapacitorPersistence
import Foundation

/// The application: the stores, the actions, the view and the keeper.
package final class Board: Sendable {
  private let keeper: Keeper
  private let cards: CardStore
  private let search: SearchStore
  private let sync: SyncStore
  private let cardAction = Invoker<Dispatcher.Cards>()
  private let searchAction: SearchAction
  private let syncAction: SyncAction
  private let view: BoardView
  private let print: @Sendable (String) -> Void

  /// Restores the board from a folder, and prints it.
  package init(
    folder: URL,
    server: any Server,
    clock: any Clock<Duration> = ContinuousClock(),
    print: @escaping @Sendable (String) -> Void
  ) throws(KeeperFailure) {
    var isOlder = false
    func recover(from failure: KeeperFailure) throws(KeeperFailure) -> Recovery {
      guard failure.isDamage else { throw failure }
      isOlder = true
      print("\(failure.reason) The board shows the state before the last save.")
      return .restorePrevious
    }
    keeper = try Keeper(directory: folder)
    // The keeper opens the cards first, because SyncStore instantiates CardStore.
    cards = try keeper.open(CardStore.self, recovering: recover)
    sync = try keeper.open(SyncStore.self, recovering: recover)
    search = SearchStore.instantiate()
    searchAction = SearchAction(clock: clock)
    syncAction = SyncAction(server: server)
    // The next sync would undo lost edits that the server knows.
    cardAction.invoke(.takeBack(sync.confirmed.rows.value))
    // The server might know numbers of lost cards. After the loss of a state, the user might know some more.
    let highestID = sync.unsynced.value.last?.id ?? 0
    cardAction.invoke(.skipNumbers(through: highestID, andNext: isOlder ? 100 : 0))
    view = BoardView(cards: cards, search: search, sync: sync, print: print)
    self.print = print
  }

  /// Answers each line until the input ends, the user quits, or nobody reads the answers. Then saves the board.
  package func run(
    _ lines: some AsyncSequence<String, Never>,
    isRead: @Sendable () -> Bool = { true }
  ) async throws(KeeperFailure) {
    for await line in lines {
      guard await answer(line), isRead() else { break }
    }
    // Waiting for the server can take long, so the user learns first whether the edits are saved.
    _ = await save()
    if sync.syncs.isRunning.value { print("Waiting for the server…") }
    await Dispatcher.shared.settled()
    try await keeper.close()
  }

  /// Answers a line. Returns false if the user quits.
  package func answer(_ line: String) async -> Bool {
    do throws(Mistake) {
      switch try Command(line) {
      case .edit(let edit): try await perform(edit)
      case .find(let text): searchAction.find(text)
      case .sync where sync.unsynced.value.isEmpty: print("The server knows all edits.")
      case .sync:
        print("Syncing…")
        syncAction.sync()
      case .list: view.show()
      case .help: print(Command.helpText)
      case .quit: return false
      }
    } catch {
      print(error.text)
    }
    return true
  }

  private func perform(_ edit: Dispatcher.Cards) async throws(Mistake) {
    try check(edit)
    cardAction.invoke(edit)
    if await save() { print("Saved.") }
  }

  /// Saves the board. If this fails, tells the user, and returns false.
  private func save() async -> Bool {
    do throws(KeeperFailure) {
      try await keeper.flush()
      return true
    } catch {
      print("Not saved yet. \(error.reason)")
      return false
    }
  }

  private func check(_ edit: Dispatcher.Cards) throws(Mistake) {
    switch edit {
    case .rename(let id, _), .setDone(let id, _), .remove(let id):
      guard cards.cards[id: id] == nil else { return }
      throw Mistake(text: "No card has the number \(id). Type list to see the numbers.")
    case .add where !cards.canAdd.value:
      throw Mistake(
        text: "The board has used all numbers of cards. Choose another folder with --file."
      )
    case .undo where !cards.canUndo.value: throw Mistake(text: "No edit is left to undo.")
    case .redo where !cards.canRedo.value: throw Mistake(text: "No edit is left to redo.")
    case .add, .undo, .redo, .rollBack, .takeBack, .skipNumbers: return
    }
  }
}

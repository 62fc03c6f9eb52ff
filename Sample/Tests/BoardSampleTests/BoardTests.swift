import BoardSample
import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests the whole board by its text.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct BoardTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()

  init() throws { folder = try TemporaryFolder() }

  @Test func conversationInTheReadmeIsReal() async throws {
    let readme = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("README.md")
    let parts = try String(contentsOf: readme, encoding: .utf8)
      .components(separatedBy: "```text\nThe board is empty.")
    #expect(parts.count == 2)
    let block = "The board is empty." + parts[parts.count - 1].components(separatedBy: "\n```")[0]
    let board = try Conversation(in: folder)

    for line in block.split(separator: "\n") where line.hasPrefix("> ") {
      await board.type(String(line.dropFirst(2)))
      await Dispatcher.shared.settled()
    }

    #expect(board.newText() == block)
  }

  /// A person can edit the file.
  @Test(arguments: [
    (
      #"[{"id":1,"title":"a","isDone":false},{"id":1,"title":"b","isDone":false}]"#, 1, "[]",
      "number 1"
    ),
    (#"[{"id":2,"title":"a","isDone":false}]"#, 0, "[]", "last number is 0"),
    (#"[{"id":0,"title":"a","isDone":false}]"#, 0, "[]", "number 0"),
    ("[]", Int.max, "[]", "last number is 9"),
    ("[]", -5, "[]", "last number is -5"),
    ("[]", 2, #"[{"id":-1,"old":{"id":-1,"title":"a","isDone":false}}]"#, "number -1"),
    ("[]", 2, #"[{"id":1,"new":{"id":2,"title":"a","isDone":false}}]"#, "edit of card 1"),
  ])
  func valueThatTheBoardNeverHasIsReportedAndSetAside(
    cards: String,
    lastID: Int,
    undoable: String,
    reason: String
  ) throws {
    func write(_ cards: String, _ lastID: Int, _ undoable: String, to name: String) throws {
      let saved = #"{"cards":\#(cards),"lastID":\#(lastID),"undoable":\#(undoable),"redoable":[]}"#
      try folder.write(#"{"format":1,"version":1,"saved":\#(saved)}"#, to: name)
    }
    try write(#"[{"id":1,"title":"Buy milk","isDone":false}]"#, 1, "[]", to: "cards.previous")
    try write(cards, lastID, undoable, to: "cards.json")

    let text = try Conversation(in: folder).newText()

    #expect(text.contains("refused"))
    #expect(text.contains(reason))
    #expect(text.contains("The board shows the state before the last save."))
    #expect(text.contains("1 [ ] Buy milk"))
  }

  @Test(arguments: [
    ("cards", 1, #"{"cards":[],"lastID":0,"undoable":[],"redoable":[],"revision":-1}"#),
    ("server", 2, #"[{"card":{"id":1,"title":"a","isDone":false},"revision":\#(Int.max)}]"#),
  ])
  func revisionThatTheBoardNeverHasIsRefused(name: String, version: Int, saved: String) throws {
    try folder.write(#"{"format":1,"version":\#(version),"saved":\#(saved)}"#, to: "\(name).json")

    let failure = #expect(throws: KeeperFailure.self) { try Conversation(in: folder) }

    #expect(failure?.description.contains("a revision is ") == true)
  }

  @Test func boardReadsItsOwnSaveAfterTheHighestRevision() async throws {
    let saved = #"{"cards":[],"lastID":0,"undoable":[],"redoable":[],"revision":\#(Int.max / 2)}"#
    try folder.write(#"{"format":1,"version":1,"saved":\#(saved)}"#, to: "cards.json")
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread", "sync")
    try await first.board.run(AsyncStream { $0.finish() })

    try withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().hasPrefix("1 [ ] Buy milk\n2 [ ] Buy bread\n"))
    }
  }

  @Test(arguments: zip([false, true], [102, 103]))
  func numberOfALostCardIsNotReused(isSynced: Bool, number: Int) async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread")
    if isSynced { await first.type("sync") }
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try await withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().contains("1 [ ] Buy milk"))
      await next.type("add Buy rolls")
      #expect(next.newText().contains("\n\(number) [ ] Buy rolls"))
    }
  }

  @Test func lostCardThatTheServerKnowsIsTakenBack() async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread", "sync")
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try await withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      await next.type("sync")

      let text = next.newText()
      #expect(text.contains("1 [ ] Buy milk\n2 [ ] Buy bread\n"))
      #expect(text.hasSuffix("The server knows all edits."))
    }
  }

  @Test func lostEditThatTheServerKnowsIsTakenBackAndOtherEditsStay() async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread", "add Buy rolls", "sync")
    await first.type("remove 3", "rename 2 Bake bread", "rename 1 Buy oat milk", "sync")
    // The previous generation has the last edit but one.
    await first.type("done 2", "add Buy jam")
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().contains("1 [ ] Buy oat milk\n2 [x] Bake bread\n"))
    }
  }

  /// The first edit happens after the last sync, and the last edit is lost.
  @Test(arguments: [
    (["add Buy milk"], ["rename 1 Buy oat milk"] + (0...100).map { "add \($0)" }, "Buy oat milk"),
    (["add Buy milk", "rename 1 Buy oat milk"], ["undo", "add Buy bread"], "Buy milk"),
  ])
  func savedEditThatTheServerDoesNotKnowStays(
    synced: [String],
    unsynced: [String],
    title: String
  ) async throws {
    let first = try Conversation(in: folder)
    for line in synced + ["sync"] { await first.type(line) }
    await Dispatcher.shared.settled()
    for line in unsynced { await first.type(line) }
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try await withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().contains("1 [ ] \(title)\n"))
      await next.type("undo", "redo")
      #expect(!next.newText().contains("No edit is left"))
    }
  }

  @Test func savedEditDuringASyncStays() async throws {
    let gate = Gate()
    let first = try Conversation(in: folder, server: MockServer.waiting(at: gate))
    await first.type("add Buy milk", "sync")
    await gate.reached()
    await first.type("undo", "add Buy bread")
    gate.open()
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().contains("The board is empty."))
    }
  }

  @Test func undoRevertsTheServersNewerCardAndThenTheSavedEdits() async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "rename 1 Buy oat milk", "done 1", "sync")
    try await first.board.run(AsyncStream { $0.finish() })
    try folder.write("", to: "cards.json")

    try await withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().contains("1 [x] Buy oat milk\n"))
      for line in ["1 [ ] Buy oat milk\n", "1 [ ] Buy milk\n", "The board is empty."] {
        await next.type("undo")
        #expect(next.newText().contains(line))
      }
    }
  }

  @Test func cardsOfTheServerAreTakenBackIfBothGenerationsAreMissing() async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread", "sync")
    try await first.board.run(AsyncStream { $0.finish() })
    for name in ["cards.json", "cards.previous"] {
      try FileManager.default.removeItem(at: folder.file(name))
    }

    try withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(
        next.newText().hasPrefix("1 [ ] Buy milk\n2 [ ] Buy bread\n2 to do, 0 done, all synced")
      )
    }
  }

  @Test func numberThatOnlyTheServerKnowsIsNotReused() async throws {
    let server = #"[{"id":7,"title":"Buy milk","isDone":false}]"#
    try folder.write(#"{"format":1,"version":1,"saved":\#(server)}"#, to: "server.json")

    let board = try Conversation(in: folder)
    await board.type("add Buy bread")

    #expect(board.newText().contains("8 [ ] Buy bread"))
  }

  @Test func boardThatHasUsedAllNumbersRefusesAnotherCard() async throws {
    let saved =
      #"{"cards":[{"id":1,"title":"Buy milk","isDone":false}],"lastID":1000000000,"undoable":[],"redoable":[]}"#
    try folder.write(#"{"format":1,"version":1,"saved":\#(saved)}"#, to: "cards.json")
    let first = try Conversation(in: folder)
    _ = first.newText()

    await first.type("add Buy bread", "done 1")

    #expect(
      first.newText() == """
        > add Buy bread
        The board has used all numbers of cards. Choose another folder with --file.
        > done 1
        1 [x] Buy milk
        0 to do, 1 done, 1 not synced
        Saved.
        """
    )
    try await first.board.run(AsyncStream { $0.finish() })
    try withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)
      #expect(next.newText().hasPrefix("1 [x] Buy milk"))
    }
  }

  @Test func serverWithTwoCardsOfANumberIsReportedAndSetAside() throws {
    let cards = #"[{"id":1,"title":"a","isDone":false},{"id":1,"title":"b","isDone":false}]"#
    try folder.write(#"{"format":1,"version":1,"saved":\#(cards)}"#, to: "server.json")
    try folder.write(#"{"format":1,"version":1,"saved":[]}"#, to: "server.previous")

    let text = try Conversation(in: folder).newText()

    #expect(text.contains("two cards have the number 1"))
    #expect(text.contains("The board is empty."))
  }

  /// A terminal would execute these characters.
  @Test func harmfulCharactersAreReplacedBeforeTheyReachTheTerminal() async throws {
    let server = MockServer { _ in .refused(reason: "No\u{1B}[2J") }
    let title = #"a\u001b[2J\n2 [ ] b\u009b1m\u202e"#
    let cards = #"[{"id":1,"title":"\#(title)","isDone":false}]"#
    let saved = #"{"cards":\#(cards),"lastID":1,"undoable":[],"redoable":[]}"#
    try folder.write(#"{"format":1,"version":1,"saved":\#(saved)}"#, to: "cards.json")

    let board = try Conversation(in: folder, server: server, clock: clock)
    await board.type("sync")
    await Dispatcher.shared.settled()
    await board.type("add c\u{9B}d\u{2066}e 👩‍👧", "un\u{1B}do", "rename 1\u{1B}")
    await board.type("find \u{1B}")
    await clock.advance(by: .milliseconds(300))
    await Dispatcher.shared.settled()

    let text = board.newText().split(separator: "\n").filter { !$0.hasPrefix("> ") }
    #expect(text.contains("1 [ ] a\u{FFFD}[2J\u{FFFD}2 [ ] b\u{FFFD}1m\u{FFFD}"))
    #expect(text.contains("2 [ ] c\u{FFFD}d\u{FFFD}e 👩‍👧"))
    for scalar in text.joined().unicodeScalars {
      #expect(scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl)
    }
  }

  @Test func searchShowsTheCardsAfterAPause() async throws {
    let board = try Conversation(in: folder, clock: clock)
    await board.type("add Buy milk", "add Buy bread")
    _ = board.newText()

    for text in ["milk", "soap"] {
      await board.type("find \(text)")
      await clock.advance(by: .milliseconds(300))
      await Dispatcher.shared.settled()
    }

    #expect(
      board.newText() == """
        > find milk
        Cards with “milk”:
        1 [ ] Buy milk
        > find soap
        No card contains “soap”. Type find to show all cards.
        """
    )
  }

  @Test func mistakesAreAnsweredAndChangeNothing() async throws {
    let board = try Conversation(in: folder)
    _ = board.newText()

    await board.type("undo", "redo", "done 1", "sync", "what")

    #expect(
      board.newText() == """
        > undo
        No edit is left to undo.
        > redo
        No edit is left to redo.
        > done 1
        No card has the number 1. Type list to see the numbers.
        > sync
        The server knows all edits.
        > what
        “what” isn't a command. Type help to see the commands.
        """
    )
  }

  @Test func refusedEditIsRolledBackAndReportedOnce() async throws {
    let server = MockServer { $0.new?.isDone == true ? .refused(reason: "Not yet.") : nil }
    let board = try Conversation(in: folder, server: server)
    await board.type("add Buy milk", "sync")
    await Dispatcher.shared.settled()
    await board.type("done 1")
    _ = board.newText()

    await board.type("sync")
    await Dispatcher.shared.settled()

    #expect(
      board.newText() == """
        > sync
        Syncing…
        1 [ ] Buy milk
        1 to do, 0 done, all synced
        The server has refused card 1. Not yet. Type undo to restore your edit.
        """
    )
  }

  @Test func undoRestoresARefusedCardAndItsHistory() async throws {
    let board = try Conversation(in: folder, server: MockServer { _ in .refused(reason: "No.") })
    await board.type("add Buy milk", "done 1", "rename 1 Steal milk", "sync")
    await Dispatcher.shared.settled()
    #expect(board.newText().contains("The board is empty."))

    for line in ["1 [x] Steal milk", "1 [x] Buy milk", "1 [ ] Buy milk", "The board is empty."] {
      await board.type("undo")
      #expect(board.newText().hasPrefix("> undo\n\(line)"))
    }
  }

  @Test func unreachableServerIsReportedAndTheEditsAreKept() async throws {
    let board = try Conversation(in: folder, server: MockServer { _ in .unreachable })
    await board.type("add Buy milk")
    _ = board.newText()

    await board.type("sync")
    await Dispatcher.shared.settled()
    await board.type("list")

    #expect(
      board.newText() == """
        > sync
        Syncing…
        The server is unreachable. Your edits are kept. Type sync to try again.
        > list
        1 [ ] Buy milk
        1 to do, 0 done, 1 not synced
        """
    )
  }

  @Test func quitEndsTheBoardBeforeTheEndOfInput() async throws {
    let conversation = try Conversation(in: folder)
    let (lines, input) = AsyncStream<String>.makeStream()
    for line in ["quit", "add Buy milk"] { input.yield(line) }

    try await conversation.board.run(lines)

    #expect(!conversation.newText().contains("Buy milk"))
  }

  /// The server might need long.
  @Test func userLearnsThatTheBoardIsNotSavedBeforeTheServerEnds() async throws {
    let gate = Gate()
    let text = Variable<[String]>([])
    let board = try Board(folder: folder.url, server: MockServer.waiting(at: gate)) { line in
      text.value.append(line)
      if line == "Waiting for the server…" { gate.open() }
    }
    for line in ["add Buy milk", "sync"] { _ = await board.answer(line) }
    await gate.reached()
    try FileManager.default.removeItem(at: folder.url)
    try Data().write(to: folder.url)

    await #expect(throws: KeeperFailure.self) {
      try await board.run(AsyncStream { $0.finish() })
    }

    let lines = text.value.suffix(3)
    #expect(lines.first?.hasPrefix("Not saved yet. ") == true)
    #expect(lines.dropFirst() == ["Waiting for the server…", "1 to do, 0 done, all synced"])
  }

  @Test func nextBoardRestoresCardsUndoAndSync() async throws {
    let first = try Conversation(in: folder)
    await first.type("add Buy milk", "add Buy bread", "sync")
    await Dispatcher.shared.settled()
    await first.type("done 1", "remove 2", "undo")
    try await first.board.run(AsyncStream { $0.finish() })

    // The next process has a dispatcher of its own.
    try await withDispatcher(Dispatcher()) {
      let next = try Conversation(in: folder)

      await next.type("redo")

      #expect(
        next.newText() == """
          1 [x] Buy milk
          2 [ ] Buy bread
          1 to do, 1 done, 1 not synced
          > redo
          1 [x] Buy milk
          0 to do, 1 done, 2 not synced
          Saved.
          """
      )
    }
  }

  @Test func failedSaveIsReported() async throws {
    let board = try Conversation(in: folder)
    // The board would create a missing folder again.
    try FileManager.default.removeItem(at: folder.url)
    try Data().write(to: folder.url)

    await board.type("add Buy milk")

    let answer = board.newText().split(separator: "\n").last ?? ""
    #expect(answer.hasPrefix("Not saved yet. "))
    #expect(answer.contains(folder.url.path))
  }
}

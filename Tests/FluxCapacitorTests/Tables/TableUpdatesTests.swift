import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// B12: an asynchronous sequence of a table's changes, with all rows afterward.
@Suite(.timeLimit(.minutes(20)))
struct TableUpdatesTests {
  private let table = VariableTable([Item(id: 1, text: "a"), Item(id: 2, text: "b")])

  @Test func firstUpdateInsertsAllRows() async throws {
    var updates = table.changes.makeAsyncIterator()

    let first = try #require(await updates.next())

    #expect([].applying(first.difference) == [1, 2])
    #expect(first.updated == [])
    #expect(first.rows.map(\.text) == ["a", "b"])
    var empty = VariableTable<Item>().changes.makeAsyncIterator()
    #expect(await empty.next()?.rows.isEmpty == true)
  }

  @Test func changesThatASlowConsumerMissesAreMerged() async throws {
    var updates = table.changes.makeAsyncIterator()
    let first = try #require(await updates.next())
    let shown = try #require([].applying(first.difference))

    table[id: 1]?.text = "c"
    table.append(Item(id: 3, text: "d"))
    table.remove(id: 2)
    let second = try #require(await updates.next())

    #expect(shown.applying(second.difference) == [1, 3])
    #expect(second.updated == [1])
    #expect(second.rows.map(\.text) == ["c", "d"])
  }

  @Test func changesThatAMirrorHidesAreNotMissed() async throws {
    let table = VariableTable([Appointment(id: 1, date: DateComponents(year: 2015))])
    var updates = table.changes.makeAsyncIterator()
    _ = await updates.next()

    // Several changes are missed, so the rows are compared.
    for month in 1...100 { table[id: 1]?.date.month = month }
    let update = try #require(await updates.next())

    #expect(update.updated == [1])
    #expect(update.rows.first?.date.month == 100)
  }

  @Test func rowsWhoseOwnerIsGoneAreCompared() async throws {
    let table = VariableTable((1...2).map { Lodger(id: $0, owner: Note()) })
    var updates = table.changes.makeAsyncIterator()
    _ = await updates.next()

    for rent in 1...500 { table[id: 1]?.rent = rent }
    let update = try #require(await updates.next())

    #expect(update.updated.contains(1))
    #expect(update.rows.first?.rent == 500)
  }

  @Test func changesInsideAnObjectAreNotMissed() async throws {
    let note = Note()
    let table = VariableTable([note])
    var updates = table.changes.makeAsyncIterator()
    _ = await updates.next()

    for number in 1...100 {
      note.text.withLock { $0 = "\(number)" }
      table[id: 1] = note
    }
    let update = try #require(await updates.next())

    #expect(update.updated == [1])
  }

  @Test func changesOfATransactionArriveWhole() async throws {
    var updates = table.changes.makeAsyncIterator()
    _ = await updates.next()

    Dispatcher().transaction {
      table.append(Item(id: 3, text: "c"))
      table.remove(id: 3)
    }
    Dispatcher().transaction {
      table.remove(id: 1)
      table.remove(id: 2)
    }
    let update = try #require(await updates.next())

    #expect(update.difference.count == 2)
    #expect(update.rows.isEmpty)
  }

  /// Builds a page from the updates alone: the ids of its rows, and the text of each.
  @Test(arguments: [1, 1_000]) func updatesAreEnoughToBuildAPage(changesAnUpdate: Int) async throws
  {
    var updates = table.changes.makeAsyncIterator()
    var (ids, texts): ([Int], [Int: String]) = ([], [:])
    var random = SplitMix(seed: UInt64(changesAnUpdate))
    for round in 1...10 {
      let update = try #require(await updates.next())
      ids = try #require(ids.applying(update.difference))
      for case .remove(_, let id, _) in update.difference.removals { texts[id] = nil }
      for row in update.changedRows { texts[row.id] = row.text }

      #expect(ids == table.rows.value.map(\.id))
      #expect(ids.map { texts[$0] } == table.rows.value.map(\.text))

      for change in 1...changesAnUpdate {
        let id = Int.random(in: 1...20, using: &random)
        let text = "\(round).\(change)"
        switch Int.random(in: 0...3, using: &random) {
        case 0: table.remove(id: id)
        case 1: table.move(id: id, to: 0)
        default: table[id: id] = Item(id: id, text: text)
        }
      }
      // At least one row differs.
      table[id: 0] = Item(id: 0, text: "\(round)")
    }
  }

  @Test func slowConsumerKeepsNoMoreThanTheRows() async throws {
    let tally = Tally()
    let table = VariableTable([CountedItem(id: 0, token: Counted(tally))])
    var updates = table.changes.makeAsyncIterator()
    _ = await updates.next()

    for id in 1...3_000 {
      table.append(CountedItem(id: id, token: Counted(tally)))
      table.remove(id: id - 1)
    }

    #expect(tally.value < 200)
    let update = try #require(await updates.next())
    #expect([0].applying(update.difference) == [3_000])
    #expect(update.rows.map(\.id) == [3_000])
  }

  @Test func sequenceEndsWithItsTable() async {
    let tally = Tally()
    var table: VariableTable? = VariableTable([CountedItem(id: 0, token: Counted(tally))])
    guard let changes = table?.changes else { return }
    let (waits, late) = (changes.makeAsyncIterator(), changes.makeAsyncIterator())
    let gate = FluxCapacitorTesting.Gate()
    nonisolated(unsafe) var (first, second) = (waits, late)
    let loop = Task {
      var last: Int?
      while let update = await first.next() {
        last = update.rows.last?.id
        if last == 0 { await gate.pass() }
      }
      return last
    }
    await gate.reached()
    table?.append(CountedItem(id: 1, token: Counted(tally)))
    table = nil
    gate.open()

    #expect(await loop.value == 1)
    // An iterator that has not begun still receives the rows, and then ends.
    #expect(await second.next()?.rows.count == 2)
    #expect(await second.next() == nil)
  }

  @Test func endedSequenceKeepsNoRows() async {
    let tally = Tally()
    do {
      let table = VariableTable([CountedItem(id: 0, token: Counted(tally))])
      var updates = table.changes.makeAsyncIterator()
      _ = await updates.next()
      table.append(CountedItem(id: 1, token: Counted(tally)))
    }
    do {
      let table = VariableTable([CountedItem(id: 0, token: Counted(tally))])
      for await _ in table.changes { break }
    }

    #expect(tally.value == 0)
  }

  @Test func sequenceThatBeginsAfterTheEndOfItsTableEnds() async {
    let tally = Tally()
    do {
      var table: VariableTable? = VariableTable([CountedItem(id: 0, token: Counted(tally))])
      let changes = table?.changes
      table = nil
      for _ in 1...2 {
        var counts: [Int] = []
        if let changes { for await update in changes { counts.append(update.rows.count) } }
        #expect(counts == [1])
      }
    }

    #expect(tally.value == 0)
  }

  @Test func cancelledTaskReceivesNoUpdate() async {
    let task = Task { [table] in
      withUnsafeCurrentTask { $0?.cancel() }
      var updates = table.changes.makeAsyncIterator()
      return await updates.next()?.rows.count
    }

    #expect(await task.value == nil)
  }

  @Test func taskThatIsCancelledAfterAChangeReceivesNoUpdate() async {
    let task = Task { [table] in
      var updates = table.changes.makeAsyncIterator()
      _ = await updates.next()
      table.append(Item(id: 100, text: "late"))
      withUnsafeCurrentTask { $0?.cancel() }
      return await updates.next()?.rows.count
    }

    #expect(await task.value == nil)
  }

  @Test func sequenceEndsWithItsTask() async {
    let gate = FluxCapacitorTesting.Gate()
    let loop = Task {
      for await update in table.changes { if update.rows.count == 2 { await gate.pass() } }
    }
    await gate.reached()
    loop.cancel()
    gate.open()

    await loop.value
  }

  @Test func updatesOfABusyTableLeadToItsRows() async throws {
    let rounds = stress(20_000)
    let table = VariableTable<Item>()
    let end = Item(id: -1, text: "end")
    let consumers = (1...3).map { _ in
      Task {
        var shown: [Int] = []
        for await update in table.changes {
          shown = shown.applying(update.difference) ?? []
          if shown != update.rows.map(\.id) { return false }
          if update.rows.last == end { return true }
        }
        return false
      }
    }
    await inParallel(2) { thread in
      for round in 0..<rounds {
        let id = thread * 1_000 + round % 50
        if table[id: id] == nil {
          table.append(Item(id: id, text: "\(round)"))
        } else {
          table.remove(id: id)
        }
      }
    }
    table.append(end)

    for consumer in consumers { #expect(await consumer.value) }
  }
}

private struct CountedItem: Identifiable {
  let id: Int
  let token: Counted
}

private struct Item: Identifiable, Equatable {
  let id: Int
  var text: String
}

private final class Note: Identifiable, Sendable {
  let id = 1
  let text = Guarded("")
}

/// A row with padding, whose bytes can differ between two copies.
private struct Lodger: Identifiable, Sendable {
  let id: Int
  var isPaying = true
  var rent = 0
  unowned let owner: Note

  init(id: Int, owner: Note) { (self.id, self.owner) = (id, owner) }
}

private struct Appointment: Identifiable {
  let id: Int
  var date: DateComponents
}

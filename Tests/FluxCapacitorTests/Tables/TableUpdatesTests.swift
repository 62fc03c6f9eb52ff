import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
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

private struct Item: Identifiable, Equatable {
  let id: Int
  var text: String
}

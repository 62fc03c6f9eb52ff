import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Races on tables. If THOROUGH is set, each test performs at least 200,000 operations.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct TableStressTests {
  private struct Item: Identifiable, Equatable {
    let id: Int
    var number = 0
  }

  private static func table(_ count: Int) -> VariableTable<Item> {
    VariableTable((0..<count).map { Item(id: $0) })
  }

  @Test func changesInPlaceByManyThreadsAreNotLost() async {
    let table = Self.table(10)
    let logs = (0..<10).map { _ in Log<Int?>() }
    let dusts = DustBuster()
    for id in 0..<10 {
      table.row(id: id).observe { logs[id].append($0?.number) }.cleaned(by: dusts)
    }

    await inParallel(4) { _ in
      for step in 0..<stress(50_000) { table[id: step % 10]?.number += 1 }
    }

    let total = table.rows.value.reduce(0) { $0 + $1.number }
    #expect(total == stress(50_000) * 4)
    for (id, log) in logs.enumerated() {
      #expect(log.entries == Array(0...(table[id: id]?.number ?? -1)))
    }
  }

  @Test func observersThatJoinAndLeaveMissNoChangeOfTheirRow() async {
    let table = Self.table(10)
    let rounds = stress(20_000)

    await inParallel(5) { index in
      if index == 0 {
        for step in 0..<rounds * 10 { table[id: step % 10]?.number += 1 }
      } else {
        for round in 0..<rounds {
          let log = Log<Int?>()
          let dust = table.row(id: round % 10).observe { log.append($0?.number) }
          dust.clean()
          // A delivery that has begun on another thread can still append.
          let isConsecutive = log.withEntries { entries in
            let first = entries.first.flatMap(\.self) ?? -1
            return entries.enumerated().allSatisfy { $1 == first + $0 }
          }
          #expect(isConsecutive)
        }
      }
    }

    #expect(table.rows.value.map(\.number) == [Int](repeating: rounds, count: 10))
  }

  @Test func listsAndRowsAgreeWithTheTableAfterChangesByManyThreads() async {
    let table = Self.table(20)
    let list = Log<[Int]>([])
    let rows = (0..<40).map { _ in Log<Item?>() }
    let dusts = DustBuster()
    table.observeChanges { changes in
      let ids = (list.last ?? []).applying(changes.difference)
      list.removeAll()
      list.append(ids ?? [])
      #expect(ids != nil)
    }.cleaned(by: dusts)
    for id in 0..<40 { table.row(id: id).observe { rows[id].append($0) }.cleaned(by: dusts) }

    await inParallel(4) { index in
      for step in 0..<stress(50_000) {
        let id = (step &* 7 &+ index &* 13) % 40
        switch step % 5 {
        case 0: table[id: id] = Item(id: id, number: step)
        case 1: table.remove(id: id)
        case 2: table[id: id]?.number += 1
        case 3: table.row(id: id).observe { _ in }.clean()
        default:
          // Reading the table's own array would alarm the thread sanitizer; see `Log.last`.
          if step % 100 == 4 {
            table.replaceAll(with: (0..<20).map { Item(id: ($0 &* 7 &+ step) % 40, number: step) })
          }
        }
      }
    }

    #expect(list.last == table.ids.value)
    for id in 0..<40 { #expect(rows[id].last == table[id: id]) }
    for row in table.rows.value { #expect(table[id: row.id] == row) }
  }
}

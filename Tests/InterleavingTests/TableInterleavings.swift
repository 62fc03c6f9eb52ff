#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import Observation
  import Testing

  /// B12: the rows of a table keep the promises of values, whichever threads use the table.
  struct TableInterleavings {
    private static func table(_ ids: Range<Int>) -> VariableTable<Item> {
      VariableTable(ids.map { Item(id: $0) })
    }

    // MARK: - Observers of one row

    @Test func observerThatJoinsBesideAWriterMissesNoChangeOfItsRow() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<Int?>()
        let dusts = DustBuster()
        scenario.thread {
          table[1]?.number = 1
          table[1]?.number = 2
        }
        scenario.thread {
          table.row(1).observe { seen.append($0?.number) }.cleaned(by: dusts)
        }
        scenario.check {
          #expect([[0, 1, 2], [1, 2], [2]].contains(seen.entries))
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func observerThatLeavesBesideAWriterReceivesNoCallAfterItsClean() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<Int?>()
        let dust = table.row(1).observe(ignoreFirst: true) { seen.append($0?.number) }
        scenario.thread { table[1]?.number = 1 }
        scenario.thread {
          dust.clean()
          seen.append(-1)
        }
        scenario.check {
          #expect([[-1], [1, -1]].contains(seen.entries))
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func observerThatJoinsWhileTheLastObserverLeavesMissesNoChange() {
      explore { scenario in
        let table = Self.table(0..<1)
        let seen = Log<Int?>()
        let former = table.row(0).observe { _ in }
        let dusts = DustBuster()
        scenario.thread { former.clean() }
        scenario.thread {
          table.row(0).observe { seen.append($0?.number) }.cleaned(by: dusts)
        }
        scenario.check {
          table[0]?.number = 1
          #expect(seen.entries == [0, 1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func observerThatJoinsWhileTheLastConstantIsReleasedMissesNoChange() {
      explore { scenario in
        let table = Self.table(0..<1)
        let seen = Log<Int?>()
        let dusts = DustBuster()
        scenario.thread { _ = table.row(0).value }
        scenario.thread {
          table.row(0).observe { seen.append($0?.number) }.cleaned(by: dusts)
        }
        scenario.check {
          table[0]?.number = 1
          #expect(seen.entries == [0, 1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func observerThatJoinsAfterTheReleaseOfARowsFormerPartMissesNoChange() {
      explore { scenario in
        let table = Self.table(0..<1)
        let seen = Log<Int?>()
        let former = Log(table.row(0))
        let dusts = DustBuster()
        former.entries[0].observe { _ in }.cleaned(by: dusts)
        scenario.thread { former.removeAll() }
        scenario.thread {
          dusts.clean()
          table.row(0).observe { seen.append($0?.number) }.cleaned(by: dusts)
        }
        scenario.check {
          table[0]?.number = 1
          #expect(seen.entries == [0, 1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func observersAreFreedIfOneLeavesWhileTheirTableIsReleased() {
      explore { scenario in
        let freed = Log<Int>()
        let owner = Owner(Self.table(0..<1))
        let dusts = (0..<2).map { number in
          let ending = AtEnd { freed.append(number) }
          return owner.table?.row(0).observe { _ in withExtendedLifetime(ending) {} }
        }
        scenario.thread { owner.release() }
        scenario.thread { dusts[0]?.clean() }
        scenario.check { #expect(freed.entries.sorted() == [0, 1]) }
      }
    }

    // MARK: - Several writers

    @Test func changesInPlaceByTwoThreadsAreNotLost() {
      explore { scenario in
        let table = Self.table(0..<3)
        let seen = Log<Int?>()
        let dust = table.row(1).observe { seen.append($0?.number) }
        for _ in 0..<2 {
          scenario.thread { table[1]?.number += 1 }
        }
        scenario.check {
          #expect(table[1]?.number == 2)
          #expect(seen.entries == [0, 1, 2])
          #expect(table.ids.value == [0, 1, 2])
          dust.clean()
        }
      }
    }

    @Test func writersOfTwoRowsCallTheObserversOfAllRowsInOneOrder() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<[Int]>()
        let dust = table.rows.observe { seen.append($0.map(\.number)) }
        for id in 0..<2 {
          scenario.thread { table[id] = Item(id: id, number: 1) }
        }
        scenario.check {
          #expect([[0, 1], [1, 0]].contains(seen.entries.dropFirst().first))
          #expect(seen.entries.first == [0, 0] && seen.entries.last == [1, 1])
          #expect(seen.entries.count == 3)
          dust.clean()
        }
      }
    }

    @Test func changesOfTwoThreadsReachTheObserversOfARowAndOfAllRowsOneByOne() {
      explore { scenario in
        let table = Self.table(0..<1)
        let (row, rows) = (Log<Int?>(), Log<[Int]>())
        let dusts = DustBuster()
        table.row(0).observe { row.append($0?.number) }.cleaned(by: dusts)
        table.rows.observe { rows.append($0.map(\.number)) }.cleaned(by: dusts)
        for _ in 0..<2 {
          scenario.thread { table[0]?.number += 1 }
        }
        scenario.check {
          #expect(row.entries == [0, 1, 2])
          #expect(rows.entries == [[0], [1], [2]])
          dusts.clean()
        }
      }
    }

    /// The reader locks both rows at the same time, so a writer has to wait for a row before its commit.
    @Test func changesOfTwoThreadsStaySeparateBesideAReaderOfTwoRows() {
      explore { scenario in
        let table = Self.table(0..<2)
        let both = Constant.combine(table.row(0), table.row(1))
        let seen = Log<[Int]>()
        let dusts = DustBuster()
        table.row(0).observe { _ in }.cleaned(by: dusts)
        table.rows.observe { seen.append($0.map(\.number)) }.cleaned(by: dusts)
        for _ in 0..<2 {
          scenario.thread { table[0]?.number += 1 }
        }
        scenario.thread { _ = both.value }
        scenario.check {
          #expect(seen.entries == [[0, 0], [1, 0], [2, 0]])
          dusts.clean()
        }
      }
    }

    @Test func removalAndChangeOfARowHaveOneOrder() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<Int?>()
        let dust = table.row(0).observe { seen.append($0?.number) }
        scenario.thread { table[0]?.number = 1 }
        scenario.thread { table.remove(0) }
        scenario.check {
          #expect([[0, nil], [0, 1, nil]].contains(seen.entries))
          #expect(table.ids.value == [1])
          dust.clean()
        }
      }
    }

    // MARK: - replaceAll beside row

    @Test func rowsReplacedBesideARowThatJoinsAreNotMissed() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<Int?>()
        let dusts = DustBuster()
        scenario.thread { table.replaceAll(with: [Item(id: 2), Item(id: 1, number: 5)]) }
        scenario.thread {
          table.row(1).observe { seen.append($0?.number) }.cleaned(by: dusts)
          table.row(2).observe { seen.append($0.map { _ in -2 } ?? -1) }.cleaned(by: dusts)
        }
        scenario.check {
          let entries = seen.entries
          #expect(entries.first == 0 || entries.first == 5)
          #expect(entries.filter { $0 == 5 }.count == 1)
          #expect(entries.filter { $0 == -2 }.count == 1)
          #expect(table.ids.value == [2, 1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func readerOfTwoRowsInsideDispatcherReadSeesOneReplacement() {
      explore { scenario in
        let table = Self.table(0..<2)
        let dispatcher = Dispatcher()
        let seen = Log<[Int?]>()
        scenario.thread {
          dispatcher.transaction {
            table.replaceAll(with: [Item(id: 0, number: 1), Item(id: 1, number: 1)])
            table[0]?.number = 2
            table[1]?.number = 2
          }
        }
        scenario.thread {
          seen.append(dispatcher.read { [table[0]?.number, table.row(1).value?.number] })
        }
        scenario.check {
          #expect([[[0, 0]], [[2, 2]]].contains(seen.entries))
        }
      }
    }

    // MARK: - Transactions

    @Test func observerOfARowReadsTheOtherRowsOfTheSameTransaction() {
      explore { scenario in
        let table = Self.table(0..<2)
        let dispatcher = Dispatcher()
        let seen = Log<[Int?]>()
        let dusts = DustBuster()
        scenario.thread {
          dispatcher.transaction {
            table[0]?.number = 1
            table[1]?.number = 1
          }
        }
        scenario.thread {
          table.row(1).observe(ignoreFirst: true) {
            seen.append([$0?.number, table[0]?.number])
          }.cleaned(by: dusts)
        }
        scenario.check {
          #expect([[], [[1, 1]]].contains(seen.entries))
          dusts.clean()
        }
      }
    }

    @Test func combinedRowsNeverMixTwoReplacements() {
      explore { scenario in
        let table = Self.table(0..<2)
        let seen = Log<[Int?]>()
        let both = Constant.combine(table.row(0), table.row(1))
        let dust = both.observe { seen.append([$0?.number, $1?.number]) }
        for number in 1...2 {
          scenario.thread {
            table.replaceAll(with: [Item(id: 0, number: number), Item(id: 1, number: number)])
          }
        }
        scenario.check {
          #expect([[0, 1, 2], [0, 2, 1]].contains(seen.entries.map { $0[0] }))
          #expect(seen.entries.allSatisfy { $0[0] == $0[1] })
          dust.clean()
        }
      }
    }

    @Test func tableAndVariableChangedInsideEachOthersTransactionsDoNotDeadlock() {
      explore { scenario in
        let table = Self.table(0..<2)
        let variable = Variable(0)
        let dispatcher = Dispatcher()
        let dusts = DustBuster()
        table.row(0).observe { _ in }.cleaned(by: dusts)
        table.rows.observe { _ in }.cleaned(by: dusts)
        variable.observe { _ in }.cleaned(by: dusts)
        scenario.thread { variable.modify { _ in table[0]?.number = 1 } }
        scenario.thread {
          dispatcher.transaction {
            table.replaceAll(with: [Item(id: 1, number: 2), Item(id: 0, number: 2)])
            variable.value = 2
          }
        }
        scenario.check {
          #expect(table.ids.value == [1, 0])
          #expect(variable.value == 2 || table[0]?.number == 1)
          dusts.clean()
        }
      }
    }

    @Test func rowChangedInPlaceByCodeThatWritesAVariableDoesNotDeadlock() {
      explore { scenario in
        let table = Self.table(0..<1)
        let variable = Variable(0)
        let seen = Log<[Int?]>()
        let dispatcher = Dispatcher()
        let both = Constant.combine(table.row(0), Constant(variable))
        let dust = both.observe { seen.append([$0?.number, $1]) }
        @Sendable func change(_ row: inout Item?) {
          row?.number = 1
          variable.value = 1
        }
        scenario.thread { change(&table[0]) }
        scenario.thread {
          dispatcher.transaction {
            variable.value = 2
            table[0]?.number = 2
          }
        }
        scenario.check {
          #expect(seen.last == [table[0]?.number, variable.value])
          dust.clean()
        }
      }
    }

    // MARK: - Changes for lists

    @Test func listThatJoinsBesideAWriterReceivesEachChangeOnce() {
      explore { scenario in
        let table = Self.table(0..<1)
        let list = List()
        let dusts = DustBuster()
        scenario.thread {
          table.append(Item(id: 1))
          table.remove(0)
        }
        scenario.thread { table.observeChanges { list.apply($0) }.cleaned(by: dusts) }
        scenario.check {
          #expect(list.ids.entries.last == [1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    @Test func listReceivesTheChangesOfTwoWritersInOneOrder() {
      explore { scenario in
        let table = Self.table(0..<1)
        let list = List()
        let dust = table.observeChanges { list.apply($0) }
        scenario.thread { table.append(Item(id: 1)) }
        scenario.thread { table.insert(Item(id: 2), at: 0) }
        scenario.check {
          #expect(list.ids.entries.count == 3)
          #expect(list.ids.entries.last == [2, 0, 1])
          dust.clean()
        }
      }
    }

    // MARK: - Tracking

    /// Observation itself misses a change that arrives before the reading closure has returned. The row
    /// must then report the next change.
    @Test func trackedReadOfARowReportsTheNextChangeOnce() {
      explore(isReduced: false) { scenario in
        let table = Self.table(0..<1)
        let notified = Log<Int>()
        scenario.thread { table[0]?.number = 1 }
        scenario.thread {
          withObservationTracking {
            _ = table.row(0).value
          } onChange: {
            notified.append(1)
          }
        }
        scenario.check {
          table[0]?.number = 2
          #expect(notified.entries == [1])
          #expect(table.parts.isEmpty)
        }
      }
    }
  }

  private struct Item: Identifiable, Equatable {
    let id: Int
    var number = 0
  }

  /// A list on a screen.
  private final class List: Sendable {
    let ids = Log<[Int]>()

    func apply(_ changes: TableChanges<Int>) {
      let shown = (ids.entries.last ?? []).applying(changes.difference)
      #expect(shown != nil)
      ids.append(shown ?? [])
    }
  }

  /// The last reference to a table, which one thread releases.
  private final class Owner: @unchecked Sendable {
    // After the setup, only one thread uses this property.
    private(set) var table: VariableTable<Item>?

    init(_ table: VariableTable<Item>) { self.table = table }

    func release() { table = nil }
  }

  extension PrimitiveTable {
    fileprivate var parts: [AnyChannel] { table.withLock { table.parts } }
  }
#endif

#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B12: the rows of a table keep the promises of values, whichever threads use the table.
  struct TableInterleavings {
    private static func table(_ ids: Range<Int>) -> VariableTable<Item> {
      VariableTable(ids.map { Item(id: $0) })
    }

    // MARK: - Observers of one row

    @Test func observerThatJoinsWhileTheLastConstantIsReleasedMissesNoChange() {
      exploreJoining { table, _, join in ({ _ = table.row(id: 0).value }, join) }
    }

    @Test func observerThatJoinsAfterTheReleaseOfARowsFormerPartMissesNoChange() {
      exploreJoining { table, dusts, join in
        let former = Log(table.row(id: 0))
        former.entries[0].observe { _ in }.cleaned(by: dusts)
        return (
          { former.removeAll() },
          {
            dusts.clean()
            join()
          }
        )
      }
    }

    private typealias Body = @Sendable () -> Void

    /// Explores two threads. The second one lets an observer join the row of a table.
    private func exploreJoining(
      _ name: String = #function,
      sourceLocation: Testing.SourceLocation = #_sourceLocation,
      threads: (VariableTable<Item>, DustBuster, _ join: @escaping Body) -> (Body, Body)
    ) {
      explore(name, sourceLocation: sourceLocation) { scenario in
        let (table, seen, dusts) = (Self.table(0..<1), Log<Int?>(), DustBuster())
        let (leave, join) = threads(table, dusts) {
          table.row(id: 0).observe { seen.append($0?.number) }.cleaned(by: dusts)
        }
        scenario.thread(nil, leave)
        scenario.thread(nil, join)
        scenario.check {
          table[id: 0]?.number = 1
          #expect(seen.entries == [0, 1])
          dusts.clean()
          #expect(table.parts.isEmpty)
        }
      }
    }

    // MARK: - Several writers

    /// The reader locks both rows at the same time, so a writer has to wait for a row before its commit.
    @Test func changesOfTwoThreadsStaySeparateBesideAReaderOfTwoRows() {
      explore(sample: 1_000) { scenario in
        let table = Self.table(0..<2)
        let both = Constant.combine(table.row(id: 0), table.row(id: 1))
        _ = table.row(id: 0).observe { _ in }
        let seen = table.rows.logChanges { $0.map(\.number) }
        scenario.threads(1...2) { _ in table[id: 0]?.number += 1 }
        scenario.thread { _ = both.value }
        scenario.check { #expect(seen.entries == [[1, 0], [2, 0]]) }
      }
    }

    // MARK: - Transactions

    /// The second thread commits a transaction, or holds the variable's lock and waits for the table, while the first
    /// thread commits its change in place.
    @Test(arguments: [false, true])
    func rowChangedInPlaceByCodeThatWritesAVariableDoesNotDeadlock(isBesideATransaction: Bool) {
      explore { scenario in
        let (table, variable) = (Self.table(0..<1), Variable(0))
        let seen = Constant.combine(table.row(id: 0), variable).logChanges { [$0?.number, $1] }
        @Sendable func change(_ row: inout Item?) {
          row?.number = 1
          variable.value = 1
        }
        @Sendable func change(_ number: inout Int) {
          if number == 1 { number += table[id: 0]?.number ?? 0 }
        }
        scenario.thread { change(&table[id: 0]) }
        if isBesideATransaction {
          scenario.transaction {
            variable.value = 2
            table[id: 0]?.number = 2
          }
        } else {
          scenario.thread { change(&variable.value) }
        }
        scenario.check { #expect(seen.last == [table[id: 0]?.number, variable.value]) }
      }
    }

    // MARK: - Changes for lists

    @Test func listThatJoinsBesideAWriterReceivesEachChangeOnce() {
      explore { scenario in
        let (table, list, dusts) = (Self.table(0..<1), List(), DustBuster())
        scenario.thread {
          table.append(Item(id: 1))
          table.remove(id: 0)
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
        let (table, list) = (Self.table(0..<1), List())
        _ = table.observeChanges { list.apply($0) }
        scenario.thread { table.append(Item(id: 1)) }
        scenario.thread { table.insert(Item(id: 2), at: 0) }
        scenario.keep(table)
        scenario.check {
          #expect(list.ids.entries.count == 3)
          #expect(list.ids.entries.last == [2, 0, 1])
        }
      }
    }

    // MARK: - Tracking

    /// Observation itself misses a change that arrives before the reading closure has returned. The row
    /// must then report the next change.
    @Test func trackedReadOfARowReportsTheNextChangeOnce() {
      explore(isReduced: false) { scenario in
        let (table, notified) = (Self.table(0..<1), Log<Int>())
        scenario.thread { table[id: 0]?.number = 1 }
        scenario.thread { track(table.row(id: 0).value) { notified.append(1) } }
        scenario.check {
          table[id: 0]?.number = 2
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

  extension PrimitiveTable {
    fileprivate var parts: [AnyChannel] { table.withLock { table.parts } }
  }
#endif

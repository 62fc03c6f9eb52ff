import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Testing

/// V9 for B6 and B12: while threads use tables and interceptors without a pause, each observer is called
/// again and again, and each call returns. If THOROUGH is set, each test performs at least 200,000
/// operations for all its arguments together.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct LivenessTablesTests {
  private let table = VariableTable([Item(id: 0), Item(id: 1)])
  private let dispatchers = [Dispatcher(), Dispatcher()]
  private let dusts = DustBuster()
  private let rounds = stress(100_000)

  // MARK: - Transactions that overlap in every round

  @Test(arguments: Change.allCases)
  func overlappingTransactionsOfTwoDispatchersCallTheObserversOfATable(change: Change) async {
    let (row, rows, ids, lists) = (Tally(), Tally(), Tally(), Tally())
    table.row(id: 0).observe(ignoreFirst: true) { _ in row.add() }.cleaned(by: dusts)
    table.rows.observe(ignoreFirst: true) { _ in rows.add() }.cleaned(by: dusts)
    table.ids.observe(ignoreFirst: true) { _ in ids.add() }.cleaned(by: dusts)
    table.observeChanges { _ in lists.add() }.cleaned(by: dusts)
    let rounds = rounds / Change.allCases.count

    await OverlapChain().run(rounds) { [table, dispatchers] index, round, meet in
      dispatchers[index].transaction {
        change.perform(on: table, by: index, in: round)
        meet()
      }
    }

    #expect(row.value >= rounds)
    #expect(rows.value >= rounds)
    #expect(lists.value >= rounds)
    if change != .set { #expect(ids.value >= rounds) }
  }

  /// The bodies overlap while each thread holds the lock of a table of its own.
  @Test func overlappingChangesInPlaceCallTheObserversOfTheirRowsAndOfASharedVariable() async {
    let tables = [VariableTable([Item(id: 0)]), VariableTable([Item(id: 0)])]
    let shared = Variable(0)
    let (rows, calls) = (Tally(), Tally())
    for table in tables {
      table.row(id: 0).observe(ignoreFirst: true) { _ in rows.add() }.cleaned(by: dusts)
    }
    shared.observe(ignoreFirst: true) { _ in calls.add() }.cleaned(by: dusts)

    await OverlapChain().run(rounds) { index, round, meet in
      func change(_ row: inout Item?) {
        row?.number = round
        shared.value += 1
        meet()
      }
      change(&tables[index][id: 0])
    }

    #expect(rows.value == rounds * 2)
    #expect(calls.value >= rounds)
    #expect(shared.value == rounds * 2)
  }

  @Test func interceptorsOfTwoDispatchersReceiveEachStateOfOverlappingTransactions() async {
    let shared = Variable(0)
    let calls = [Tally(), Tally()]
    shared.observe(ignoreFirst: true) { _ in }.cleaned(by: dusts)
    for index in 0..<2 {
      dispatchers[index].intercept { _ in calls[index].add() }.cleaned(by: dusts)
    }
    let late = Tally()

    await OverlapChain().run(rounds) { [dispatchers] index, round, meet in
      dispatchers[index].transaction {
        dispatchers[index].dispatch(Dispatcher.Counter.set(round))
        shared.value = round
        meet()
      }
      if calls[index].value < round - 1 { late.add() }
    }

    #expect(calls.map(\.value) == [rounds, rounds])
    #expect(late.value == 0)
  }

  // MARK: - Observers that come and go

  @Test(arguments: Part.allCases)
  func observerOfATableThatJoinsBesideAWriterReceivesAChange(part: Part) async {
    let closures = Tally()
    let isDone = Latest()

    await inParallel(2) { [table, rounds] index in
      if index == 0 {
        var number = 0
        while isDone.load() == 0 {
          number += 1
          table[id: 0]?.number = number
          if number.isMultiple(of: 2) { table.remove(id: 1) } else { table[id: 1] = Item(id: 1) }
        }
      } else {
        for _ in 0..<rounds / 20 {
          let calls = Tally()
          let counted = Counted(closures)
          let dust = part.observe(table) {
            calls.add()
            withExtendedLifetime(counted) {}
          }
          while calls.value < 2 { sched_yield() }
          dust.clean()
        }
        isDone.store(1)
      }
    }

    #expect(closures.value == 0)
  }

  @Test func interceptorThatJoinsBesideTwoDispatchingThreadsReceivesAnEvent() async {
    let dispatcher = dispatchers[0]
    let closures = Tally()
    let isDone = Latest()

    await inParallel(3) { [rounds] index in
      if index > 0 {
        while isDone.load() == 0 { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
        return
      }
      for _ in 0..<rounds / 10 {
        let calls = Tally()
        let counted = Counted(closures)
        let dust = dispatcher.intercept { _ in
          calls.add()
          withExtendedLifetime(counted) {}
        }
        while calls.value == 0 { sched_yield() }
        dust.clean()
      }
      isDone.store(1)
    }

    #expect(closures.value == 0)
  }

  // MARK: - Threads that deliver the changes of others

  @Test func dispatchReturnsWhileTheInterceptorReceivesTheStatesOfAnotherThread() {
    for _ in 0..<stress(500) {
      let tireless = Tireless()
      let dispatcher = dispatchers[0]
      let dust = dispatcher.intercept { event in
        if case Dispatcher.Counter.set(let number) = event.state { tireless.observe(number) }
      }
      let writing = tireless.write { dispatcher.dispatch(Dispatcher.Counter.set($0)) }

      dispatcher.dispatch(Dispatcher.Counter.set(0))

      tireless.expectToBeLeft(by: writing)
      dust.clean()
    }
  }

  // MARK: - Fixtures

  enum Change: CaseIterable {
    case set, insertAndRemove, replaceAll

    fileprivate func perform(on table: VariableTable<Item>, by index: Int, in round: Int) {
      table[id: 0]?.number = round * 2 + index
      switch self {
      case .set: return
      case .insertAndRemove:
        let id = index + 10
        if table.remove(id: id) == nil { table.insert(Item(id: id), at: 0) }
      case .replaceAll:
        let row = Item(id: 0, number: round * 2 + index)
        table.replaceAll(with: [Item(id: round * 2 + index + 20), row])
      }
    }
  }

  enum Part: CaseIterable {
    case row, rows, ids, changes

    fileprivate func observe(
      _ table: VariableTable<Item>,
      _ call: @escaping @Sendable () -> Void
    ) -> Dust {
      switch self {
      case .row: table.row(id: 0).observe { _ in call() }
      case .rows: table.rows.observe { _ in call() }
      case .ids: table.ids.observe { _ in call() }
      case .changes: table.observeChanges { _ in call() }
      }
    }
  }
}

private struct Item: Identifiable {
  let id: Int
  var number = 0
}

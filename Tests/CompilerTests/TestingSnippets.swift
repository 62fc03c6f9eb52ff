import Dispatch
import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The example application and the passing tests of the article on testing.

protocol ApiSession: Sendable {
  func names(of login: String) async throws -> [String]
}

extension Dispatcher {
  enum Repository: DispatchState {
    typealias RelatedStoreType = RepositoryStore
    typealias RelatedActionType = RepositoryAction

    case isFetching(Bool)
    case show([String])
    case fail(String)
  }
}

final class RepositoryStore: Storable {
  let effects = Effects(.latest)
  var names: Constant<[String]> { _names.constant }
  var isFetching: Constant<Bool> { _isFetching.constant }
  var failure: Constant<String?> { _failure.constant }
  private let _names = Variable<[String]>([])
  private let _isFetching = Variable(false)
  private let _failure = Variable<String?>(nil)

  func reduce(with state: Dispatcher.Repository) {
    switch state {
    case .isFetching(let isFetching):
      _isFetching.value = isFetching
    case .show(let names):
      _names.value = names
      _isFetching.value = false
    case .fail(let failure):
      _failure.value = failure
      _isFetching.value = false
    }
  }
}

final class RepositoryAction: Actionable {
  typealias DispatchStateType = Dispatcher.Repository

  private let session: any ApiSession
  private var effects: Effects { RepositoryStore.instantiate().effects }

  init(session: any ApiSession) {
    self.session = session
  }

  func fetch(_ login: String) {
    effects.run { effect in
      invoke(.isFetching(true), as: effect)
      do {
        invoke(.show(try await session.names(of: login)), as: effect)
      } catch {
        invoke(.fail("\(error)"), as: effect)
      }
    }
  }
}

struct MockApiSession: ApiSession {
  let answer: @Sendable (_ login: String) async throws -> [String]

  func names(of login: String) async throws -> [String] {
    try await answer(login)
  }
}

@Suite(.isolatedDispatcher)
struct RepositoryStoreTests {
  @Test func showStateChangesTheNamesAndEndsFetching() {
    let tester = StoreTester(RepositoryStore.self)

    tester.invoke(.isFetching(true)) {
      Change(\.isFetching, to: true)
    }
    tester.invoke(.show(["FluxCapacitor"])) {
      Change(\.names, to: ["FluxCapacitor"])
      Change(\.isFetching, to: false)
    }
  }
}

@Suite(.isolatedDispatcher)
struct RepositoryActionTests {
  private let store = RepositoryStore.instantiate()

  @Test func fetchInvokesShowWithTheFetchedNames() async {
    let action = RepositoryAction(session: MockApiSession { ["\($0)/FluxCapacitor"] })

    await expectStates {
      Dispatcher.Repository.isFetching(true)
      Dispatcher.Repository.show(["octocat/FluxCapacitor"])
    } when: {
      action.fetch("octocat")
      await Dispatcher.shared.settled()
    }
  }

  @Test func showChangesTheNames() {
    let tester = StoreTester(RepositoryStore.self)
    let action = RepositoryAction(session: MockApiSession { [$0] })

    tester.expect {
      Change(\.isFetching, to: true)
      Change(\.names, to: ["octocat/FluxCapacitor"])
      Change(\.isFetching, to: false)
    } when: {
      action.invoke(.isFetching(true))
      action.invoke(.show(["octocat/FluxCapacitor"]))
    }
  }

  @Test func fetchChangesTheNamesAndEndsFetching() async {
    let tester = StoreTester(RepositoryStore.self)
    let action = RepositoryAction(session: MockApiSession { ["\($0)/FluxCapacitor"] })

    await tester.expect {
      Change(\.isFetching, to: true)
      Change(\.names, to: ["octocat/FluxCapacitor"])
      Change(\.isFetching, to: false)
    } when: {
      action.fetch("octocat")
      await Dispatcher.shared.settled()
    }
  }

  @Test func failedFetchStoresTheError() async {
    struct NotFound: Error {}
    let action = RepositoryAction(session: MockApiSession { _ in throw NotFound() })

    action.fetch("nobody")
    await Dispatcher.shared.settled()

    #expect(store.failure.value == "NotFound()")
  }

  @Test func newerFetchSupersedesTheOlderFetch() async {
    let gate = Gate()
    let action = RepositoryAction(
      session: MockApiSession { login in
        if login == "older" { await gate.pass() }
        return [login]
      }
    )

    action.fetch("older")
    await gate.reached()
    action.fetch("newer")
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.names.value == ["newer"])
  }
}

@Test(.isolatedDispatcher) func addIncreasesTheCount() {
  let tester = StoreTester(CounterStore.self)
  tester.invoke(.add(41)) { Change(\.count, to: 41) }
}

@Suite(.isolatedDispatcher)
struct HistoryTests {
  @Test func recordersReceiveEachIncrementInOrder() async {
    let store = CounterStore.instantiate()
    let counts = ValueRecorder(store.count)
    let states = DispatchRecorder()

    Task { for _ in 0..<3 { CounterAction().increment() } }

    #expect(await counts.next(4) == [0, 1, 2, 3])
    #expect(states.states(of: Dispatcher.Counter.self).count == 3)
  }
}

struct Reminder<C: Clock<Duration>> {
  let clock: C
  let counter = CounterAction()

  func countInAMinute() async throws {
    try await clock.sleep(for: .seconds(60))
    counter.increment()
  }
}

@Suite(.isolatedDispatcher)
struct ReminderTests {
  @Test func reminderIncrementsTheCounterAfterAMinute() async throws {
    let store = CounterStore.instantiate()
    let clock = ManualClock()
    let reminder = Task { try await Reminder(clock: clock).countInAMinute() }
    await clock.sleeping()
    #expect(store.count.value == 0)

    await clock.advance(by: .seconds(60))
    try await reminder.value
    #expect(store.count.value == 1)
  }
}

final class DownloadAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  let dispatcher = Dispatcher.shared

  func download() {
    DispatchQueue.global().async { self.invoke(.add(1)) }
  }
}

@Suite(.isolatedDispatcher)
struct DownloadActionTests {
  @Test func downloadIncrementsTheCounter() async {
    let store = CounterStore.instantiate()
    let states = DispatchRecorder()

    DownloadAction().download()
    await states.next()

    #expect(store.count.value == 1)
  }
}

// The examples in the doc comments of `FluxCapacitorTesting`.

@Suite(.isolatedDispatcher)
struct CounterTests {
  @Test func incrementAddsOneToTheCount() {
    let store = CounterStore.instantiate()
    CounterAction().increment()
    #expect(store.count.value == 1)
  }
}

@Suite(.isolatedDispatcher)
struct TestingSnippets {
  private let action = RepositoryAction(session: MockApiSession { ["\($0)/FluxCapacitor"] })

  @Test func dispatchRecorderRecordsInvokedStates() {
    let recorder = DispatchRecorder()
    CounterAction().increment()
    #expect(recorder.states(of: Dispatcher.Counter.self).count == 1)
  }

  @Test func valueRecorderRecordsTheValuesOfAConstant() async {
    let store = CounterStore.instantiate()
    do {
      let recorder = ValueRecorder(store.count)
      CounterAction().increment()
      #expect(await recorder.next(2) == [0, 1])
    }
    CounterAction().invoke(.reset)
    do {
      let store = CounterStore.instantiate()
      let recorder = ValueRecorder(store.count)
      CounterAction().increment()
      #expect(recorder.values == [0, 1])
    }
  }

  @Test func settledWaitsUntilAFetchHasEnded() async {
    let store = RepositoryStore.instantiate()
    action.fetch("octocat")
    await Dispatcher.shared.settled()
    #expect(store.names.value == ["octocat/FluxCapacitor"])
  }

  @Test func taskPassesAGateAfterTheGateOpens() async {
    let gate = Gate()
    let work = Task {
      await gate.pass()
      return "done"
    }
    await gate.reached()
    gate.open()
    #expect(await work.value == "done")
  }

  @Test func advancingAManualClockEndsASleep() async throws {
    let clock = ManualClock()
    let task = Task {
      try await clock.sleep(for: .seconds(60))
      return "a minute later"
    }
    await clock.sleeping()
    await clock.advance(by: .seconds(60))
    #expect(try await task.value == "a minute later")
  }

  @Test func taskSleepsFiveTimesWhileAManualClockAdvancesByFiveSeconds() async throws {
    let clock = ManualClock()
    let seconds = Variable<[Duration]>([])
    let ticks = Task {
      for _ in 1...5 {
        try await clock.sleep(for: .seconds(1))
        seconds.value.append(clock.now.offset)
      }
    }
    await clock.advance(by: .seconds(5))
    try await ticks.value
    #expect(seconds.value == [.seconds(1), .seconds(2), .seconds(3), .seconds(4), .seconds(5)])
  }

  @Test func storeTesterPassesWhenAStoreMakesTheExpectedChanges() async {
    do {
      let tester = StoreTester(CounterStore.self)
      tester.invoke(.add(2)) {
        Change(\.count, to: 2)
      }
      tester.invoke(.add(0))
    }
    let tester = StoreTester(RepositoryStore.self)
    await tester.expect {
      Change(\.isFetching, to: true)
      Change(\.names, to: ["octocat/FluxCapacitor"])
      Change(\.isFetching, to: false)
    } when: {
      action.fetch("octocat")
      await Dispatcher.shared.settled()
    }
  }
}

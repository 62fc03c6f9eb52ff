import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// V9: observers are called although at each moment a transaction of some thread is open.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct OverlapLivenessTests {
  private let left = Variable(0)
  private let right = Variable(0)
  private let shared = Variable(0)
  private let calls = Calls()
  private let dusts = DustBuster()
  private let rounds = stress(15_000)
  private let opener = Opener(.transaction)

  /// Opens a transaction in one of several ways.
  enum Opening: CaseIterable, Sendable {
    case dispatch, transaction, modify, nestedModify
  }

  @Test(arguments: Opening.allCases)
  func observersOfASharedVariableAreCalledInEveryRoundOfOverlappingTransactions(
    opening: Opening
  ) async {
    observeAll()
    let opener = Opener(opening)

    await OverlapChain().run(rounds) { [left, right, shared] thread, round, overlap in
      opener.open(on: thread) {
        (thread == 0 ? left : right).value = round
        shared.value += 1
        overlap()
      }
    }

    expectCalls()
  }

  @Test func observersAreCalledIfBothTransactionsWriteTheSharedVariableOnBothSidesOfTheOverlap()
    async
  {
    observeAll()

    await OverlapChain().run(rounds) { [left, right, shared] thread, round, overlap in
      opener.open(on: thread) {
        shared.value += 1
        overlap()
        (thread == 0 ? left : right).value = round
        shared.value += 1
      }
    }

    expectCalls()
  }

  @Test func writesOutsideTransactionsAreDeliveredDuringOverlappingTransactions() async {
    observeAll()
    let other = Variable(0)
    let count = calls
    other.observe(ignoreFirst: true) { _ in count.add("other") }.cleaned(by: dusts)

    await OverlapChain().run(rounds) { [left, right, shared] thread, round, overlap in
      opener.open(on: thread) {
        shared.value += 1
        overlap()
        (thread == 0 ? left : right).value = round
      }
      other.value += 1
      shared.value += 1
    }

    #expect(calls["other"] > rounds)
    expectCalls()
  }

  @Test func signalDeliversTheEventsOfOverlappingTransactions() async {
    let sink = Sink<Int>()
    let count = calls
    sink.signal.observe { _ in count.add("event") }.cleaned(by: dusts)
    let (delivered, rounds) = (calls, rounds)

    await OverlapChain().run(rounds) { thread, round, overlap in
      opener.open(on: thread) {
        sink.send(round)
        overlap()
      }
      // Two bodies are open at a time, so at most their events and those of one delivery wait.
      let waiting = 2 * (round - 1) - delivered["event"]
      #expect(waiting <= 4)
    }

    #expect(calls["event"] == 2 * rounds)
  }

  @Test func observersThatComeAndGoReceiveValuesDuringOverlappingTransactions() async {
    let both = Constant.combine(left, right.map { $0 }, shared).map { $0.0 + $0.1 + $0.2 }
      .removeDuplicates()
    let (count, rounds) = (calls, rounds)

    await OverlapChain().run(rounds) { [left, right, shared, opener] thread, round, overlap in
      let dust = both.observe { _ in count.add("observer \(thread)") }
      opener.open(on: thread) {
        (thread == 0 ? left : right).value = round
        shared.value += 1
        overlap()
      }
      dust.clean()
    }

    #expect(calls["observer 0"] >= rounds)
    #expect(calls["observer 1"] >= rounds)
    #expect(left.observerCount + right.observerCount + shared.observerCount == 0)
  }

  private func observeAll() {
    let count = calls
    left.observe(ignoreFirst: true) { _ in count.add("left") }.cleaned(by: dusts)
    right.observe(ignoreFirst: true) { _ in count.add("right") }.cleaned(by: dusts)
    shared.observe(ignoreFirst: true) { _ in count.add("shared") }.cleaned(by: dusts)
    shared.map { $0 * 2 }.observe(ignoreFirst: true) { _ in count.add("map") }.cleaned(by: dusts)
    Constant.combine(left, right, shared).observe(ignoreFirst: true) { _, _, _ in
      count.add("combine")
    }
    .cleaned(by: dusts)
  }

  /// Each round of each thread ends one transaction.
  private func expectCalls() {
    #expect(calls["left"] == rounds)
    #expect(calls["right"] == rounds)
    #expect(calls["shared"] >= rounds)
    #expect(calls["map"] >= rounds)
    #expect(calls["combine"] >= 2 * rounds)
    #expect(calls["combine"] <= 4 * rounds)
  }
}

/// The calls of observers by name.
final class Calls: Sendable {
  private let counts = Locked<[String: Int]>([:])

  subscript(name: String) -> Int { counts.value[name] ?? 0 }

  func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
}

/// Opens transactions on two threads, each thread with its own dispatcher and its own variables.
private struct Opener: Sendable {
  private let dispatchers = [Dispatcher(), Dispatcher()]
  private let stores: [BodyStore]
  private let variables = (0..<4).map { _ in Variable(0) }
  private let opening: OverlapLivenessTests.Opening

  init(_ opening: OverlapLivenessTests.Opening) {
    self.opening = opening
    stores = dispatchers.map { BodyStore.instantiate(on: $0) }
  }

  func open(on thread: Int, _ body: () -> Void) {
    switch opening {
    case .dispatch:
      withoutActuallyEscaping(body) { body in
        dispatchers[thread].dispatch(BodyState(Unsafely(body)))
      }
    case .transaction: dispatchers[thread].transaction(body)
    case .modify:
      variables[thread].modify {
        $0 += 1
        body()
      }
    case .nestedModify:
      variables[thread].modify { outer in
        variables[2 + thread].modify {
          $0 += 1
          body()
        }
        outer += 1
      }
    }
  }
}

/// A state that carries the body of a reduce.
private struct BodyState: DispatchState {
  typealias RelatedStoreType = BodyStore

  let body: Unsafely<() -> Void>

  init(_ body: Unsafely<() -> Void>) { self.body = body }
}

private final class BodyStore: Storable {
  func reduce(with state: BodyState) { state.body.value() }
}

/// A value that only one thread uses, because a state is reduced on the thread that dispatches it.
private struct Unsafely<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

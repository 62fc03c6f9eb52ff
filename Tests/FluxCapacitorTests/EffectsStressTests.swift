import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Synchronization
import Testing

/// Races of threads that run and cancel operations.
@Suite(.oneAtATime, .isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectsStressTests {
  @Test(arguments: [1, 4])
  func latestPolicyNeverReducesAnOlderResultAfterANewerResult(threads: Int) async {
    let dispatcher = Dispatcher.shared
    let store = ResultStore.instantiate()
    let effects = Effects(.latest)
    let newest = Log<Task<Void, Never>>()

    await inParallel(threads) { thread in
      let begun = Atomic(0)
      withDispatcher(dispatcher) {
        for round in 1...(stress(50_000) / threads) {
          let number = round * threads + thread
          let task = effects.run { effect in
            begun.max(number, ordering: .relaxed)
            CounterAction().invoke(.set(number), as: effect)
          }
          // After `run` returns, no store reduces a state of an older operation.
          if threads == 1 {
            let last = store.results.last ?? 0
            #expect(last <= number)
          }
          if round.isMultiple(of: 2) {
            while begun.load(ordering: .relaxed) < number, !task.isCancelled { sched_yield() }
          }
          if round == stress(50_000) / threads { newest.append(task) }
        }
      }
    }
    for task in newest.entries { await task.value }
    await dispatcher.settled()

    let results = store.results.entries
    for thread in 0..<threads {
      let own = results.filter { $0 % threads == thread }
      #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
    }
    #expect(!effects.isRunning.value)
  }

  @Test(
    arguments: [(Effects.Policy.serial, 1), (.concurrent(3), 3), (.first, 1), (.newestWaiting, 1)]
  )
  func effectsNeverExceedThePolicysLimitOfRunningOperationsDuringConcurrentRuns(
    policy: Effects.Policy,
    limit: Int
  ) async {
    let dispatcher = Dispatcher.shared
    let effects = Effects(policy)
    let running = Atomic(0)
    let most = Atomic(0)
    let count = Tally()

    await inParallel(4) { _ in
      withDispatcher(dispatcher) {
        for _ in 0..<stress(8_000) {
          effects.run { _ in
            let now = running.add(1, ordering: .relaxed).newValue
            most.max(now, ordering: .relaxed)
            await Task.yield()
            count.add()
            running.subtract(1, ordering: .relaxed)
          }
        }
      }
    }
    await dispatcher.settled()

    #expect(most.load(ordering: .relaxed) <= limit)
    #expect([.first, .newestWaiting].contains(policy) || count.value == stress(32_000))
    #expect(!effects.isRunning.value)
  }

  @Test func newestWaitingPolicySavesTheLastChangeOfEachThread() async {
    let dispatcher = Dispatcher.shared
    let effects = Effects(.newestWaiting)
    let edited = Atomic(0)
    let saved = Atomic(0)

    await inParallel(4) { _ in
      withDispatcher(dispatcher) {
        for _ in 0..<stress(50_000) {
          edited.add(1, ordering: .relaxed)
          effects.run { _ in
            let number = edited.load(ordering: .relaxed)
            await Task.yield()
            saved.store(number, ordering: .relaxed)
          }
        }
      }
    }
    await dispatcher.settled()

    #expect(saved.load(ordering: .relaxed) == stress(50_000) * 4)
    #expect(!effects.isRunning.value)
  }

  @Test func effectsHaveNoRunningOperationAfterConcurrentRunsAndCancels() async {
    let dispatcher = Dispatcher.shared
    let effects = Effects(.concurrent(2))

    await inParallel(3) { thread in
      withDispatcher(dispatcher) {
        for _ in 0..<stress(10_000) {
          if thread == 0 { effects.cancel() } else { effects.run { _ in await Task.yield() } }
        }
      }
    }
    await dispatcher.settled()

    #expect(!effects.isRunning.value)
  }
}

/// Logs the number of each state that the store reduces.
private final class ResultStore: Storable {
  let results = Log<Int>()

  func reduce(with state: Dispatcher.Counter) {
    results.append(state.number)
  }
}

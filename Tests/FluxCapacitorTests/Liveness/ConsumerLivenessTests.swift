import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Synchronization
import Testing

/// V9 for queues, sequences and effects: each consumer receives values again and again, and each call
/// returns, although the threads that write, dispatch and run effects never pause.
@Suite(.oneAtATime, .isolatedDispatcher, .timeLimit(.minutes(20)))
struct ConsumerLivenessTests {
  private let dusts = DustBuster()

  // MARK: - Queues

  /// The transactions of two dispatchers overlap in every round, and each body waits for the queue now and
  /// then. So the observer is as fast as the writers, and only a bounded number of values waits.
  @Test(arguments: [false, true])
  func observerOnAQueueReceivesEachRoundOfOverlappingTransactions(isConcurrent: Bool) async {
    let queue = DispatchQueue(label: "consumer", attributes: isConcurrent ? .concurrent : [])
    let (own, shared) = ([Variable(0), Variable(0)], Variable(0))
    let (calls, callsOfShared) = ([Tally(), Tally()], Tally())
    for thread in 0..<2 {
      own[thread].observe(on: .queue(queue), ignoreFirst: true) { _ in calls[thread].add() }
        .cleaned(by: dusts)
    }
    shared.observe(on: .queue(queue), ignoreFirst: true) { _ in callsOfShared.add() }.cleaned(
      by: dusts
    )
    let dispatchers = [Dispatcher(), Dispatcher()]
    let rounds = stress(50_000)

    await OverlapChain().run(rounds) { thread, round, overlap in
      dispatchers[thread].transaction {
        own[thread].value = round
        shared.value += 1
        overlap()
      }
      if round.isMultiple(of: 100) {
        queue.sync(flags: .barrier) {}
        // The last two rounds of a thread might not be delivered yet.
        #expect(calls[thread].value >= round - 2)
      }
    }
    queue.sync(flags: .barrier) {}

    #expect(calls.map(\.value) == [rounds, rounds])
    #expect(callsOfShared.value >= rounds)
  }

  @Test func observersOnTheMainQueueAndOnAQueueAreCalledWhileTwoThreadsWriteWithoutAPause() async {
    let variable = Variable(0)
    let queue = DispatchQueue(label: "consumer")
    let (onMain, onQueue) = (Tally(), Tally())
    variable.observe(on: ExecuteQueue.main) { _ in onMain.add() }.cleaned(by: dusts)
    variable.observe(on: .queue(queue)) { _ in onQueue.add() }.cleaned(by: dusts)
    let wanted = stress(10_000)

    await inParallel(2) { _ in
      while min(onMain.value, onQueue.value) < wanted { variable.value += 1 }
    }

    dusts.clean()
    #expect(onMain.value >= wanted)
  }

  // MARK: - Sequences

  enum Source: CaseIterable {
    case constant, derived, signal, states
  }

  @Test(arguments: Source.allCases)
  func loopReceivesElementsWhileTwoThreadsMakeElementsWithoutAPause(source: Source) async {
    let (variable, sink) = (Variable(0), Sink<Int>())
    let dispatcher = Dispatcher.shared
    let store = CounterStore.instantiate()
    let received = Tally()
    let wanted = stress(20_000)
    let consumer =
      switch source {
      case .constant: consume(wanted, of: variable.values, received)
      case .derived:
        consume(wanted, of: Constant.combine(variable, store.count).map(+).values, received)
      case .signal:
        consume(wanted, of: sink.signal.values(buffering: .bufferingNewest(8)), received)
      case .states:
        consume(
          wanted,
          of: dispatcher.states(of: Dispatcher.Counter.self, buffering: .bufferingNewest(8)),
          received
        )
      }

    await inParallel(2) { thread in
      while received.value < wanted {
        variable.value += 1
        sink.send(thread)
        withDispatcher(dispatcher) { CounterAction().invoke(.add(1)) }
      }
    }

    await consumer.value
    #expect(received.value == wanted)
    withExtendedLifetime(store) {}
  }

  // MARK: - Effects

  /// Four tasks await effects while a thread reduces states of the same dispatcher without a pause.
  @Test(arguments: [Effects.Policy.latest, .first, .serial, .concurrent(2), .newestWaiting])
  func performReturnsWhileOtherTasksRunEffectsAndAThreadReducesWithoutAPause(
    policy: Effects.Policy
  ) async {
    let dispatcher = Dispatcher.shared
    let store = CounterStore.instantiate()
    let effects = Effects(policy)
    let operations = Tally()
    let isOver = Atomic(false)
    let rounds = stress(10_000)
    let reducing = Task {
      await inParallel(1) { _ in
        withDispatcher(dispatcher) {
          while !isOver.load(ordering: .relaxed) { CounterAction().invoke(.add(1)) }
        }
      }
    }

    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<rounds {
            await effects.perform { effect in
              CounterAction().invoke(.add(1), as: effect)
              await Task.yield()
              operations.add()
            }
          }
        }
      }
    }
    isOver.store(true, ordering: .relaxed)
    await reducing.value
    await dispatcher.settled()

    switch policy {
    case .serial, .concurrent: #expect(operations.value == 4 * rounds)
    case .first: #expect(operations.value >= rounds)
    // A newer effect can supersede or replace an effect before its operation begins.
    case .latest, .newestWaiting, .atMost: #expect(operations.value > 0)
    }
    #expect(!effects.isRunning.value)
    withExtendedLifetime(store) {}
  }

  /// Each run supersedes an effect of the other thread, and waits for its reduce.
  @Test func runReturnsWhileTwoThreadsSupersedeEachOthersEffectsWithoutAPause() async {
    let dispatchers = [Dispatcher(), Dispatcher()]
    let stores = dispatchers.map { CounterStore.instantiate(on: $0) }
    let effects = Effects(.latest)
    let newest = Log<Task<Void, Never>>()

    await inParallel(2) { thread in
      withDispatcher(dispatchers[thread]) {
        for round in 1...stress(50_000) {
          let task = effects.run { effect in CounterAction().invoke(.add(1), as: effect) }
          if round == stress(50_000) { newest.append(task) }
        }
      }
    }
    for task in newest.entries { await task.value }
    for dispatcher in dispatchers { await dispatcher.settled() }

    // The newest effect is never superseded.
    #expect(stores.contains { $0.count.value > 0 })
    #expect(!effects.isRunning.value)
  }

  /// Counts the elements of a sequence, up to a number.
  private func consume<Element>(_ wanted: Int, of values: Values<Element>, _ received: Tally)
    -> Task<
      Void, Never
    >
  {
    Task {
      for await _ in values {
        received.add()
        if received.value >= wanted { return }
      }
    }
  }
}

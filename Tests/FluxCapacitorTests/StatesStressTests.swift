import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Races on observers of states. If THOROUGH is set, each test performs about 200,000 operations.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct StatesStressTests {
  @Test func observersAndSequencesReceiveConcurrentStatesInTheOrderOfTheReduces() async {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { OrderStore.instantiate() }
    let observers = [Log<Int>(), Log<Int>()]
    let dusts = DustBuster()
    for log in observers {
      dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }.cleaned(by: dusts)
    }
    var iterator = dispatcher.states(of: Dispatcher.Counter.self).makeAsyncIterator()

    await inParallel(8) { index in
      for value in 0..<stress(25_000) {
        dispatcher.dispatch(Dispatcher.Counter.set(value * 8 + index))
      }
    }

    let reduced = store.reduced.entries
    #expect(reduced.count == stress(200_000))
    #expect(observers[0].entries == reduced)
    #expect(observers[1].entries == reduced)
    var received: [Int] = []
    while received.count < stress(200_000), let state = await iterator.next() {
      received.append(state.number)
    }
    #expect(received == reduced)
  }

  /// The first observer of a state type creates the type's route while another thread looks up that route.
  @Test func firstObserverOfAStateTypeReceivesEveryLaterStateDuringConcurrentDispatches() async {
    for _ in 0..<stress(2_000) {
      let dispatcher = Dispatcher()
      let log = Log<Int>()
      let dusts = DustBuster()
      await inParallel(2) { index in
        if index == 0 {
          for number in 0..<100 { dispatcher.dispatch(Dispatcher.Counter.add(number)) }
        } else {
          dispatcher.observe(Dispatcher.Counter.self) { log.append($0.number) }.cleaned(by: dusts)
        }
      }

      dispatcher.dispatch(Dispatcher.Counter.add(100))

      #expect(log.entries.last == 100)
      #expect(log.entries == Array(0...100).suffix(log.entries.count))
    }
  }

  @Test func stateObserversThatSubscribeAndCleanDuringDispatchesAreFreed() async {
    let tally = Tally()
    let dispatcher = Dispatcher()

    await inParallel(4) { index in
      for number in 0..<stress(50_000) {
        if index < 2 {
          dispatcher.dispatch(Dispatcher.Counter.add(number))
        } else {
          let counted = Counted(tally)
          dispatcher.observe(Dispatcher.Counter.self) { _ in withExtendedLifetime(counted) {} }
            .clean()
        }
      }
    }

    #expect(tally.value == 0)
  }

  @Test func stateObserversAreFreedWithADispatcherThatIsReleasedDuringDispatches() async {
    let tally = Tally()
    let dispatchers = (0..<stress(20_000)).map { _ in Log(Dispatcher()) }
    for dispatcher in dispatchers {
      let counted = Counted(tally)
      _ = dispatcher.entries[0].observe(Dispatcher.Counter.self) { _ in
        withExtendedLifetime(counted) {}
      }
    }

    await inParallel(2) { index in
      for dispatcher in dispatchers {
        if index == 0 {
          for _ in 0..<10 { dispatcher.entries.first?.dispatch(Dispatcher.Counter.add(1)) }
        } else {
          dispatcher.removeAll()
        }
      }
    }

    #expect(tally.value == 0)
  }
}

/// Logs the number of each state that the store reduces.
private final class OrderStore: Storable {
  let reduced = Log<Int>()

  func reduce(with state: Dispatcher.Counter) {
    reduced.append(state.number)
  }
}

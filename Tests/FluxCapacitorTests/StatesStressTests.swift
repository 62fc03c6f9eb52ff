import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Races on observers of states. If THOROUGH is set, each test performs about 200,000 operations.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct StatesStressTests {
  @Test func observersAndSequencesReceiveConcurrentStatesInTheOrderOfTheReduces() async {
    let dispatcher = Dispatcher()
    let store = withDispatcher(dispatcher) { LogStore.instantiate() }
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

    let reduced = store.log.entries
    #expect(reduced.count == stress(200_000))
    #expect(observers[0].entries == reduced)
    #expect(observers[1].entries == reduced)
    var received: [Int] = []
    while received.count < stress(200_000), let state = await iterator.next() {
      received.append(state.number)
    }
    #expect(received == reduced)
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
}

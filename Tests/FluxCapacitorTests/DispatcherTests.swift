import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// The number of states in a chain, which would overflow a small stack if each state took a frame of it.
private let chainLength = isThorough ? 100_000 : 20_000

@Suite(.isolatedDispatcher)
struct DispatcherTests {
  private let dispatcher = Dispatcher.shared
  private let script = ScriptStore.instantiate()

  // D2

  @Test func invokeReturnsAfterTheStoreHasReducedAndObserversHaveBeenCalled() {
    let store = CounterStore.instantiate()
    let recorder = ValueRecorder(store.count)

    CounterAction().invoke(.add(2))

    #expect(store.count.value == 2)
    #expect(recorder.values == [0, 2])
  }

  // D3

  @Test func statesInvokedInsideAReduceAreReducedAfterTheReduceInTheOrderOfInvocation() {
    let log = Log<String>()

    dispatcher.reduce { _ in
      log.append("outer begins")
      dispatcher.reduce { _ in
        log.append("inner begins")
        dispatcher.reduce { _ in log.append("innermost") }
        log.append("inner ends")
      }
      dispatcher.reduce { _ in log.append("second inner") }
      log.append("outer ends")
    }

    let expected = [
      "outer begins", "outer ends", "inner begins", "inner ends", "second inner", "innermost",
    ]
    #expect(log.entries == expected)
  }

  @Test func chainOfStatesInvokedByObserversRunsInConstantStackSpace() {
    let store = CounterStore.instantiate()
    let dust = Log<Dust>()

    inParallel(1, stackSize: 256 * 1024) { _ in
      dust.append(
        store.count.observe { count in
          if count < chainLength { dispatcher.dispatch(Dispatcher.Counter.add(1)) }
        }
      )
    }

    #expect(store.count.value == chainLength)
    dust.entries.forEach { $0.clean() }
  }

  @Test func chainOfStatesInvokedByReducesRunsInConstantStackSpace() {
    inParallel(1, stackSize: 256 * 1024) { _ in dispatcher.reduce(countUp) }

    #expect(script.first.value == chainLength)

    @Sendable func countUp(_ store: ScriptStore) {
      store.first.value += 1
      if store.first.value < chainLength { dispatcher.reduce(countUp) }
    }
  }

  @Test func observersReceiveEachStateInvokedByAReduceBeforeTheNextStateIsReduced() {
    let log = Log<[Int]>()
    let dust = script.first.observe(ignoreFirst: true) { [script] in
      log.append([$0, script.second.value])
    }

    dispatcher.reduce { store in
      for value in 2...3 {
        dispatcher.reduce { store in
          store.first.value = value
          store.second.value = value
        }
      }
      store.first.value = 1
      store.second.value = 1
    }

    #expect(log.entries == [[1, 1], [2, 2], [3, 3]])
    dust.clean()
  }

  @Test func withDispatcherReplacesTheSharedDispatcherForTheTaskAndItsChildTasks() async {
    let dispatcher = Dispatcher()
    let outer = Dispatcher.shared

    await withDispatcher(dispatcher) {
      #expect(Dispatcher.shared === dispatcher)
      #expect(CounterAction().dispatcher === dispatcher)
      async let child = Dispatcher.shared
      #expect(await child === dispatcher)
      let inner = Dispatcher()
      withDispatcher(inner) { #expect(Dispatcher.shared === inner) }
    }

    #expect(Dispatcher.shared === outer)
  }
}

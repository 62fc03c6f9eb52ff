import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct StatesSequenceTests {
  private let dispatcher = Dispatcher()

  @Test func statesSequenceContainsEveryStateAndEndsWhenItsDispatcherIsFreed() async {
    let iterator = {
      let dispatcher = Dispatcher()
      let iterator = Carried(dispatcher.states(of: Dispatcher.Counter.self).makeAsyncIterator())
      for number in 0..<1_000 { dispatcher.dispatch(Dispatcher.Counter.add(number)) }
      return iterator
    }()

    var states = iterator.value
    var numbers: [Int] = []
    while let state = await states.next() { numbers.append(state.number) }

    #expect(numbers == Array(0..<1_000))
  }

  @Test func statesSequenceThatBuffersOneStateReturnsTheNewestState() async {
    let sequence = dispatcher.states(of: Dispatcher.Counter.self, buffering: .bufferingNewest(1))
    var states = sequence.makeAsyncIterator()

    for number in 0..<10 { dispatcher.dispatch(Dispatcher.Counter.add(number)) }

    #expect(await states.next()?.number == 9)
  }

  @Test @MainActor func statesSequenceContainsStatesThatItsConsumerDispatches() async {
    let log = Log<Int>()
    let iterator = Carried(dispatcher.states(of: Dispatcher.Counter.self).makeAsyncIterator())
    let effects = Task { @MainActor in
      var states = iterator.value
      while let state = await states.next() {
        log.append(state.number)
        if state.number < 3 { dispatcher.dispatch(Dispatcher.Counter.add(state.number + 1)) }
      }
    }

    dispatcher.dispatch(Dispatcher.Counter.add(1))
    await untilItWaits { log.entries == [1, 2, 3] }

    effects.cancel()
    await effects.value
  }
}

import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Signals, changes and states have the bindings, the scopes and the sequences that values have.
@Suite(.timeLimit(.minutes(20)))
struct SignalFamilyTests {
  private let sink = Sink<Int>()
  private let tally = Tally()
  private let log = Log<Int>()

  @Test @MainActor func boundPropertiesAndClosuresOnMainReceiveTheLaterEventsOfASignal() {
    let (view, model) = (BoundView(), BoundModel())
    sink.send(1)

    sink.signal.bind(to: view, \.count)
    sink.signal.bind(to: model) { model, event in model.count = event }
    sink.signal.map { "\($0)" }.bind(to: view, \.text)
    let before = view.count
    sink.send(2)

    #expect(before == 0)
    #expect(view.count == 2)
    #expect(model.count == 2)
    #expect(view.text == "2")
  }

  @Test func signalBindingOnCurrentEndsWhenItsTargetIsFreed() {
    var target: BoundTarget? = BoundTarget()
    if let target {
      sink.signal.bind(to: target, on: .current, \.count)
      sink.signal.bind(to: target, on: .current, \.optional)
      sink.signal.bind(to: target, on: .current) {
        [counted = Counted(tally), log] target, event in
        log.append(target.count + event)
        _ = counted
      }
    }
    sink.send(1)

    target = nil
    sink.send(2)

    #expect(log.entries == [2])
    #expect(tally.value == 0)
  }

  @Test func signalIgnoresTheArgumentIgnoreFirst() {
    let object = BoundTarget()

    sink.signal.observe(duringScopeOf: object, ignoreFirst: true) { [log] in log.append($0) }
    sink.send(1)

    #expect(log.entries == [1])
    withExtendedLifetime(object) {}
  }

  @Test func valuesOfASignalBeginWithTheFirstEventAfterTheCallAndLoseNoEvent() async {
    sink.send(0)

    let sequence = sink.signal.values
    for event in 1...1_000 { sink.send(event) }
    var events: [Int] = []
    for await event in sequence {
      events.append(event)
      if event == 1_000 { break }
    }

    #expect(events == Array(1...1_000))
  }

  @Test func furtherIteratorOfASignalSequenceBeginsWithTheNextEvent() async {
    let sequence = sink.signal.values
    sink.send(1)

    var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
    sink.send(2)

    #expect(await first.next() == 1)
    #expect(await first.next() == 2)
    #expect(await second.next() == 2)
  }

  @Test func signalSequenceEndsAfterItsBufferWhenTheSinkIsFreed() async {
    let iterator = {
      let sink = Sink<Int>()
      let iterator = Carried(sink.signal.values.makeAsyncIterator())
      sink.send(1)
      return iterator
    }()

    var events = iterator.value

    #expect(await events.next() == 1)
    #expect(await events.next() == nil)
  }

  @Test func releasedSignalSequenceWithoutALoopEndsItsObservation() {
    var sequence: Values<Int>? = sink.signal
      .map { [counted = Counted(tally)] event in withExtendedLifetime(counted) { event } }.values
    #expect(tally.value == 1)

    sequence = nil

    #expect(sequence == nil)
    #expect(tally.value == 0)
  }

  @Test func observersOfChangesAndOfStatesEndWithTheirObject() {
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let cards = table("a")
    let log = Log<String>()
    var object: BoundTarget? = BoundTarget()
    if let object {
      variable.observeChanges(duringScopeOf: object) { [counted = Counted(tally)] old, new in
        log.append("\(old) → \(new)")
        _ = counted
      }
      cards.observeChanges(duringScopeOf: object) { [counted = Counted(tally)] changes in
        log.append("\(changes.difference.count) rows")
        _ = counted
      }
      dispatcher.observe(Dispatcher.Counter.self, duringScopeOf: object) {
        [counted = Counted(tally)] state in
        log.append("state \(state.number)")
        _ = counted
      }
    }
    let change = {
      variable.value += 1
      cards.append(Card("\(variable.value)"))
      dispatcher.dispatch(Dispatcher.Counter.add(variable.value))
    }
    change()

    object = nil
    change()

    #expect(log.entries == ["1 rows", "0 → 1", "1 rows", "state 1"])
    #expect(tally.value == 0)
  }

  @Test @MainActor func observersOfChangesAndOfStatesOnMainAcceptViewsAndModels() {
    let dispatcher = Dispatcher()
    let variable = Variable(0)
    let cards = table("a")
    let (view, model) = (BoundView(), BoundModel())

    variable.observeChanges(duringScopeOf: view, on: .main) { [unowned view] old, new in
      view.text = "\(old) → \(new)"
    }
    variable.observeChanges(duringScopeOf: model, on: .main) { [unowned view] in
      view.count += $1 - $0
    }
    cards.observeChanges(duringScopeOf: view, on: .main) { [unowned view] in
      view.count += 10 * $0.difference.count
    }
    cards.observeChanges(duringScopeOf: model, on: .main) { [unowned model] in
      model.count += $0.difference.count
    }
    dispatcher.observe(Dispatcher.Counter.self, duringScopeOf: view, on: .main) {
      [unowned view] in view.count += 100 * $0.number
    }
    dispatcher.observe(Dispatcher.Counter.self, duringScopeOf: model, on: .main) {
      [unowned model] in model.count += 100 * $0.number
    }
    variable.value = 3
    dispatcher.dispatch(Dispatcher.Counter.add(2))

    #expect(view.text == "0 → 3")
    #expect(view.count == 213)
    #expect(model.count == 201)
  }
}

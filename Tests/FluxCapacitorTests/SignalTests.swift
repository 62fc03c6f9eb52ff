import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

struct SignalTests {
  private let sink = Sink<Int>()
  private let log = Log<String>()
  private let dusts = DustBuster()

  @Test func signalObserversReceiveEachEventOnceAndInOrder() {
    sink.signal.observe { [log] in log.append("first \($0)") }.cleaned(by: dusts)
    Signal(sink).observe { [log] in log.append("second \($0)") }.cleaned(by: dusts)

    for event in [1, 1, 2] { sink.send(event) }

    #expect(
      log.entries == ["first 1", "second 1", "first 1", "second 1", "first 2", "second 2"]
    )
  }

  @Test func newSignalObserverReceivesNoEarlierEvents() {
    let log = Log<Int>()
    sink.send(1)

    sink.signal.observe { log.append($0) }.cleaned(by: dusts)
    sink.send(2)

    #expect(log.entries == [2])
  }

  @Test func signalEventsSentInATransactionAreDeliveredInOrderAfterTheTransaction() {
    let variable = Variable(0)
    sink.signal.observe { [log] in log.append("event \($0)") }.cleaned(by: dusts)
    variable.observe(ignoreFirst: true) { [log] in log.append("value \($0)") }.cleaned(by: dusts)

    Dispatcher().transaction {
      sink.send(1)
      variable.value = 1
      sink.send(2)
      variable.value = 2
      log.append("end")
    }

    #expect(log.entries == ["end", "event 1", "value 2", "event 2"])
  }

  @Test func signalMapAndFilterTransformAndDropEvents() {
    let signal = sink.signal.filter { $0.isMultiple(of: 2) }.map { "\($0)" }.filter { $0 != "4" }
    let recorder = ValueRecorder(signal)

    for event in 1...6 { sink.send(event) }

    #expect(recorder.values == ["2", "6"])
  }

  @Test func cleanedSignalObserverReceivesNoEvents() {
    let log = Log<Int>()
    let dust = sink.signal.map { $0 }.observe { log.append($0) }

    dust.clean()
    sink.send(1)

    #expect(log.entries.isEmpty)
  }

  @Test func signalObserversAreFreedWithTheLastReferenceToTheSignal() {
    let tally = Tally()
    var signal: Signal<Int>? = Sink<Int>().signal.filter { _ in true }
    _ = signal?.observe { [counted = Counted(tally)] _ in _ = counted }
    #expect(tally.value == 1)

    signal = nil

    #expect(tally.value == 0)
  }

  @Test(.oneAtATime, .timeLimit(.minutes(20)))
  func signalObserverReceivesTheEventsOfEachThreadOnceAndInOrder() async {
    let observer = Log<Int>()
    sink.signal.observe { observer.append($0) }.cleaned(by: dusts)

    await inParallel(8) { thread in
      let dispatcher = Dispatcher()
      for index in 0..<stress(25_000) {
        if index.isMultiple(of: 10) {
          dispatcher.transaction { sink.send(thread * stress(25_000) + index) }
        } else {
          sink.send(thread * stress(25_000) + index)
        }
      }
    }

    let events = observer.entries
    #expect(events.count == stress(200_000))
    for thread in 0..<8 {
      let own = events.filter { $0 / stress(25_000) == thread }
      #expect(own == Array(thread * stress(25_000)..<(thread + 1) * stress(25_000)))
    }
  }
}

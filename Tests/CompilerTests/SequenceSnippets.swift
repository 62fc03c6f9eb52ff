import FluxCapacitor
import FluxCapacitorTesting
import Testing

// Code of the doc comments on asynchronous sequences and tasks.

/// Tests that the loops end, which they do after the elements that their comments show.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SequenceSnippetTests {
  @Test func loopsOverValuesEnd() async {
    await SequenceSnippets.values()
    await SequenceSnippets.newestValues()
    await SequenceSnippets.allValues()
    await SequenceSnippets.loop()
  }

  @Test func loopOverTheEventsOfASignalEnds() async {
    await SequenceSnippets.signalValues()
  }

  @Test func loopOverStatesEnds() async {
    await SequenceSnippets.statesOfCounter()
  }
}

private enum SequenceSnippets {
  static func bufferingPolicy() async {
    let progress = Variable(0.0)
    for await fraction in progress.values(buffering: .bufferingOldest(10)) {
      print(fraction)
    }
  }

  static func signalValues() async {
    let sink = Sink<String>()
    var messages = sink.signal.values.makeAsyncIterator()
    sink.send("Saving …")
    sink.send("Saved.")
    while let message = await messages.next() {
      print(message)  // Saving … and Saved.
      if message == "Saved." { break }
    }
  }

  final class Logger: Sendable {
    init() {
      Dispatcher.shared.observe(Dispatcher.Counter.self, duringScopeOf: self) { state in
        print("Dispatched: \(state)")
      }
    }
  }

  static func values() async {
    let counter = Variable(0)
    for await count in counter.values {
      print(count)  // 0, 1 and 2
      if count == 2 { break }
      counter.value += 1
    }
  }

  static func newestValues() async {
    let title = Variable("Untitled")
    var titles = title.values.makeAsyncIterator()
    title.value = "Back"
    title.value = "Back to the Future"
    if let newest = await titles.next() { print(newest) }  // Back to the Future
  }

  static func loop() async {
    let title = Variable("Untitled")
    let lengths = Task {
      for await text in title.values {
        print(text.count)  // 18, sometimes after 8
        if text == "Back to the Future" { break }
      }
    }
    title.value = "Back to the Future"
    await lengths.value
  }

  static func allValues() async {
    let counter = Variable(0)
    var counts = counter.values(buffering: .unbounded).makeAsyncIterator()
    counter.value = 1
    counter.value = 2
    while let count = await counts.next() {  // 0, 1 and 2
      if count == 2 { break }
    }
  }

  static func states() {
    let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { state in
      print("Dispatched: \(state)")
    }
    CounterAction().invoke(.reset)
    dust.clean()
  }

  static func statesOfCounter() async {
    var states = Dispatcher.shared.states(of: Dispatcher.Counter.self).makeAsyncIterator()
    CounterAction().increment()
    CounterAction().invoke(.reset)
    while let state = await states.next() {
      print(state)  // add(1) and reset
      if case .reset = state { break }
    }
  }
}

private enum TaskSnippets {
  final class ClockView: Sendable {
    private let dustBuster = DustBuster()

    init(seconds: Constant<Int>) {
      Task {
        for await second in seconds.values { print(second) }
      }
      .cleaned(by: dustBuster)
    }
  }
}

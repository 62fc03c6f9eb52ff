import FluxCapacitor

// Code of the doc comments on asynchronous sequences and tasks. This code only needs to compile.

private enum SequenceSnippets {
  static func bufferingPolicy() async {
    let progress = Variable(0.0)
    for await fraction in progress.values(buffering: .bufferingOldest(10)) {
      print(fraction)
    }
  }

  static func signalValues() {
    let sink = Sink<String>()
    let messages = sink.signal.values
    let toasts = Task {
      for await message in messages { print(message) }
    }
    sink.send("Saved.")
    toasts.cancel()
  }

  final class Logger: Sendable {
    init() {
      Dispatcher.shared.observe(Dispatcher.Counter.self, duringScopeOf: self) { state in
        print("Dispatched: \(state)")
      }
    }
  }

  static func values() {
    let counter = Variable(0)
    let shown = Task {
      for await count in counter.values {
        print(count)
      }
    }
    counter.value = 1
    shown.cancel()
  }

  static func newestValues() {
    let title = Variable("Untitled")
    let lengths = Task { @MainActor in
      for await text in title.values {
        print(text.count)
      }
    }
    title.value = "Back to the Future"
    lengths.cancel()
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

  static func effects() {
    let effects = Task {
      for await state in Dispatcher.shared.states(of: Dispatcher.Counter.self) {
        if case .reset = state { print("Back to the start.") }
      }
    }
    effects.cancel()
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

  final class CounterAction: Actionable {
    typealias DispatchStateType = Dispatcher.Counter

    func add(_ amount: Int) {
      invoke(.add(amount))
    }
  }
}

import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ValueRecorderTests {
  private let variable = Variable(0)

  @Test func valueRecorderRecordsEveryValueOfAVariableInOrder() {
    let recorder = ValueRecorder(variable)
    let later = ValueRecorder(Constant(variable), ignoreFirst: true)

    for value in 1...3 { variable.value = value }

    #expect(recorder.values == [0, 1, 2, 3])
    #expect(later.values == [1, 2, 3])
  }

  @Test func valueRecorderRecordsTheEventsOfASignal() {
    let sink = Sink<String>()
    let recorder = ValueRecorder(sink.signal)

    sink.send("a")
    sink.send("b")

    #expect(recorder.values == ["a", "b"])
  }

  @Test func nextOfAValueRecorderReturnsEachValueOnce() async {
    let recorder = ValueRecorder(variable)
    variable.value = 1

    #expect(await recorder.next() == [0])
    let next = Task { await recorder.next(3) }
    await offTheTask {
      variable.value = 2
      variable.value = 3
    }

    #expect(await next.value == [1, 2, 3])
  }

  @Test func waitForFewerThanNoValuesTrapsWithASentence() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await ValueRecorder(Variable(0)).next(-1)
    }

    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(printed.contains("A test waits for -1 events."))
  }

  @Test func valueRecorderLosesNoValueWhenManyTasksWriteTheVariable() async {
    let recorder = ValueRecorder(variable)
    let writers = 8
    let count = 5_000

    let consumer = Task {
      var all: [Int] = []
      while all.count <= writers * count { all += await recorder.next(1, within: .seconds(200)) }
      return all
    }
    await withTaskGroup { group in
      for _ in 0..<writers {
        group.addTask { for _ in 0..<count { variable.value += 1 } }
      }
    }

    #expect(await consumer.value == Array(0...writers * count))
  }

  @Test func nextOfAValueRecorderFailsTheTestAfterTheTimeLimitAndListsTheValues() async {
    let variable = Variable(7)
    let recorder = ValueRecorder(variable)

    let failure = await failure {
      #expect(await recorder.next(2, within: .milliseconds(1)) == [7])
    }

    #expect(
      failure == "Waited 0.001 seconds for the next 2 of Variable<Int>, but only 1 came:\n  7"
    )
    variable.value = 8
    #expect(await recorder.next() == [8])
  }

  @Test func valueGoesToTheCallThatStillWaits() async {
    let sink = Sink<Int>()
    let recorder = ValueRecorder(sink.signal)

    _ = await failure {
      async let first = recorder.next(2, within: .milliseconds(20))
      async let second = recorder.next()
      #expect(await first == [])
      sink.send(7)
      #expect(await second == [7])
    }
  }

  @Test func nextOfAValueRecorderReturnsAndFailsTheTestWhenItsTaskIsCancelled() async {
    let recorder = ValueRecorder(Sink<Int>().signal)

    let failure = await failure {
      let task = Task { await recorder.next(1, within: .seconds(1_000)) }
      task.cancel()
      #expect(await task.value == [])
    }

    let cancelled = "The task was cancelled while it waited for the next 1 of a Signal<Int>"
    #expect(failure == "\(cancelled), but none came.")
  }

  @Test func observedVariableDoesNotKeepTheValueRecorderAlive() {
    let variable = Variable(AtEnd {})
    weak var recorder: ValueRecorder<AtEnd>?
    do {
      let made = ValueRecorder(variable)
      recorder = made
      #expect(made.values.count == 1)
    }

    #expect(recorder == nil)
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct DispatchRecorderTests {
  private let recorder = DispatchRecorder()

  @Test func dispatchRecorderRecordsTheStatesOfEveryTypeInOrder() async {
    let store = SearchStore.instantiate()

    await SearchAction().search { ["a"] }
    KeepingAction().invoke(.write("reaches no store"))

    #expect(
      recorder.states.map { "\($0)" } == [
        "isSearching(true)", #"found(["a"])"#, #"write("reaches no store")"#,
      ]
    )
    #expect(recorder.states(of: Dispatcher.Note.self).count == 1)
    #expect(store.results.value == ["a"])
  }

  @Test func dispatchRecorderRecordsAStateAfterItsReduce() async {
    let store = NoteStore.instantiate()
    let action = KeepingAction()

    for round in 0..<1_000 {
      async let states = recorder.next()
      await offTheTask { action.invoke(.write("\(round)")) }
      #expect(await states.count == 1)
      #expect(store.text.value == "\(round)")
    }
  }

  @Test func dispatchRecorderRecordsStatesOfManyTasksInTheOrderOfTheirReduces() async {
    let store = NoteStore.instantiate()
    let seen = ValueRecorder(store.text, ignoreFirst: true)
    let action = KeepingAction()

    await withTaskGroup { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<2_500 { action.invoke(.write("\(writer) \(number)")) }
        }
      }
    }
    await Dispatcher.shared.settled()

    let texts = recorder.states(of: Dispatcher.Note.self).map { state in
      switch state {
      case .write(let text): text
      }
    }
    #expect(texts.count == 10_000)
    #expect(texts == seen.values)
  }

  @Test func invokedStateReachesTheStoreAfterADispatchRecorderIsFreed() {
    let dispatcher = Dispatcher()
    withDispatcher(dispatcher) {
      let store = NoteStore.instantiate()
      do {
        let recorder = DispatchRecorder(dispatcher)
        KeepingAction().invoke(.write("a"))
        #expect(recorder.states.count == 1)
      }
      KeepingAction().invoke(.write("b"))
      #expect(store.text.value == "b")
    }
  }

  @Test func nextOfADispatchRecorderFailsTheTestAfterTheTimeLimitAndListsTheStates() async {
    KeepingAction().invoke(.write("a"))

    let failure = await failure { await recorder.next(2, within: .milliseconds(1)) }

    #expect(
      failure == """
        Waited 0.001 seconds for the next 2 of the dispatched states, but only 1 came:
          Note.write("a")
        """
    )
  }
}

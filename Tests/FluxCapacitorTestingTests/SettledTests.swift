import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SettledTests {
  private let dusts = DustBuster()
  private let tasks = DustBuster()
  private let queue = DispatchQueue(label: "observers")
  private let gate = Gate()
  private let search = SearchStore.instantiate()
  private let notes = NoteStore.instantiate()

  /// Expects that the dispatcher doesn't settle within a millisecond. Returns the failure's message.
  private func sentenceOfUnsettled() async -> String {
    let sentences = await failures {
      let hasSettled = await Dispatcher.shared.settled(within: .milliseconds(1))
      #expect(!hasSettled)
    }
    #expect(sentences.count == 1)
    return sentences.first ?? ""
  }

  @Test func settledReturnsImmediatelyWhenNoWorkIsPending() async {
    SearchAction().invoke(.found(["a"]))

    #expect(await Dispatcher.shared.settled())
    #expect(search.results.value == ["a"])
  }

  @Test func settledWaitsForDeliveriesToObserversOnQueues() async {
    let log = ValueRecorder(notes.text, ignoreFirst: true)
    let other = Variable("")
    notes.text.observe(on: .queue(queue)) { other.value = $0 }.cleaned(by: dusts)
    let onMain = Variable("")
    other.observe(on: .main) { onMain.value = $0 }.cleaned(by: dusts)

    for number in 0..<100 { KeepingAction().invoke(.write("\(number)")) }
    await Dispatcher.shared.settled()

    #expect(log.values.count == 100)
    #expect(other.value == "99")
    #expect(onMain.value == "99")
  }

  @Test func cancelledSettledFailsWithTheReason() async {
    let effects = Effects()
    effects.run { _ in await gate.pass() }

    let sentence = await failure {
      let task = Task { await Dispatcher.shared.settled() }
      task.cancel()
      #expect(await !task.value)
    }
    gate.open()

    #expect(sentence.hasPrefix("The task was cancelled before the dispatcher settled."))
    await Dispatcher.shared.settled()
  }

  @Test func failureOfSettledNamesTheQueueOfAPendingDelivery() async {
    queue.suspend()
    notes.text.observe(on: .queue(queue), ignoreFirst: true) { _ in }.cleaned(by: dusts)
    KeepingAction().invoke(.write("a"))

    let sentence = await sentenceOfUnsettled()
    queue.resume()

    #expect(
      sentence == """
        The dispatcher has not settled within 0.001 seconds. Still under way:
          A String is on its way to an observer on the queue "observers".
        """
    )
    #expect(await Dispatcher.shared.settled())
  }

  @Test func settledWaitsForTasksInADustBuster() async {
    Task {
      await gate.pass()
      SearchAction().invoke(.found(["a"]))
      Task { SearchAction().invoke(.found(["b"])) }.cleaned(by: dusts)
    }
    .cleaned(by: tasks)
    let line = #line - 1
    let sentence = await sentenceOfUnsettled()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(
      sentence == """
        The dispatcher has not settled within 0.001 seconds. Still under way:
          The task of FluxCapacitorTestingTests/SettledTests.swift:\(line) is running.
        """
    )
    #expect(search.results.value == ["b"])
  }

  @Test func settledWaitsUntilACancelledTaskEnds() async {
    let bag = DustBuster()

    Task {
      await gate.pass()
      KeepingAction().invoke(.write(Task.isCancelled ? "cancelled" : "not cancelled"))
    }
    .cleaned(by: bag)
    await gate.reached()
    bag.clean()
    _ = await sentenceOfUnsettled()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(notes.text.value == "cancelled")
  }

  @Test func settledWaitsForStatesInvokedDuringAReduce() async {
    let dispatcher = Dispatcher.shared
    let (isInside, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    DispatchQueue.global().async {
      withDispatcher(dispatcher) {
        SearchAction().invoke(
          .run {
            SearchAction().invoke(.found(["later"]))
            isInside.signal()
            release.wait()
          }
        )
      }
    }
    await offTheTask { isInside.wait() }
    let sentence = await sentenceOfUnsettled()
    release.signal()
    await dispatcher.settled()

    #expect(sentence.contains("A state is being reduced, or a transaction is running."))
    #expect(search.results.value == ["later"])
  }

  @Test func settledWaitsUntilRunningObserversHaveReturned() async {
    let dispatcher = Dispatcher.shared
    let action = KeepingAction()
    let (isInside, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let last = Variable("")
    notes.text.observe(ignoreFirst: true) {
      isInside.signal()
      release.wait()
      last.value = $0
    }
    .cleaned(by: dusts)

    // While a recorder exists, the dispatcher keeps track of running dispatches.
    let recorder = DispatchRecorder()
    DispatchQueue.global().async { action.invoke(.write("a")) }
    await offTheTask { isInside.wait() }
    let sentence = await sentenceOfUnsettled()
    release.signal()
    await dispatcher.settled()

    #expect(sentence.contains("The observers of a FluxCapacitor.Dispatcher.Note are being called."))
    #expect(last.value == "a")
    #expect(recorder.states.count == 1)
  }

  @Test func settledDoesNotWaitForPendingWorkOfAnotherDispatcher() async {
    let other = Dispatcher()
    withDispatcher(other) {
      Task { await gate.pass() }.cleaned(by: dusts)
    }

    #expect(await Dispatcher.shared.settled())
    gate.open()
    #expect(await other.settled())
  }

  @Test func settledMissesNoWorkWhenManyTasksInvokeStates() async throws {
    let count = Variable(0)
    search.results.observe(on: .queue(.global()), ignoreFirst: true) { _ in
      count.value += 1
    }
    .cleaned(by: dusts)

    for round in 1...200 {
      for number in 0..<4 {
        Task { SearchAction().invoke(.found(["\(round) \(number)"])) }.cleaned(by: dusts)
      }
      await Dispatcher.shared.settled()
      try #require(count.value == round * 4)
    }
  }

  #if DEBUG
    @Test(arguments: [false, true])
    func settledInAnEffectOfTheSameDispatcherTraps(advancesAClock: Bool) async {
      let result = await #expect(
        processExitsWith: .failure,
        observing: [\.standardErrorContent]
      ) { [advancesAClock] in
        let effects = Effects()
        await effects.run { _ in
          if advancesAClock {
            await Dispatcher.shared.settled(advancing: ManualClock())
          } else {
            await Dispatcher.shared.settled()
          }
        }
        .value
      }

      let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        output.contains(
          "settled() waits for the task that calls it: The effect of FluxCapacitorTestingTests/SettledTests"
        )
      )
    }
  #endif
}

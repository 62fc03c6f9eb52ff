import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(10)))
struct TaskTests {
  // MARK: Cleaned by a bag

  @Test func cleaningTheBagCancelsTheTask() async {
    let dusts = DustBuster()
    let task = Task { await untilCancelled() }
    task.cleaned(by: dusts)
    #expect(!task.isCancelled)

    dusts.clean()

    #expect(task.isCancelled)
    await task.value
  }

  @Test func endOfTheBagCancelsTheTask() async {
    let task = Task {
      await untilCancelled()
      try Task.checkCancellation()
    }
    do {
      let dusts = DustBuster()
      task.cleaned(by: dusts)
    }

    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func bagCanBeUsedAgain() async {
    let dusts = DustBuster()
    dusts.clean()
    let task = Task { await untilCancelled() }
    task.cleaned(by: dusts)

    dusts.clean()

    await task.value
  }

  @Test func endedTaskIsLetGoOfByTheBagThatStays() async {
    let dusts = DustBuster()
    await withCheckedContinuation { continuation in
      let result = Carried(AtEnd { continuation.resume() })
      Task { [result] in result.value }.cleaned(by: dusts)
    }

    dusts.clean()
  }

  @Test func endedTaskIsNotCancelledByTheBag() async {
    let dusts = DustBuster()
    let task = Task {}
    task.cleaned(by: dusts)
    let replacing = Task(replacing: dusts) {}

    await task.value
    await replacing.value

    #expect(!replacing.isCancelled)
  }

  // MARK: Newest wins

  @Test func newerTaskCancelsTheOlderOneBeforeItStarts() async {
    let newest = DustBuster()
    let older = Task(replacing: newest) { await untilCancelled() }

    let newer = Task(replacing: newest) { older.isCancelled }

    #expect(await newer.value)
    #expect(!newer.isCancelled)
    await older.value
  }

  @Test func cleaningTheBagCancelsTheNewest() async {
    let newest = DustBuster()
    let task = Task(replacing: newest) { await untilCancelled() }

    newest.clean()

    await task.value
  }

  @Test @MainActor func newestTaskInheritsTheActor() async {
    let view = SearchView()

    await view.search("a").value
    await view.search("b").value

    #expect(view.found == ["a", "b"])
  }

  @Test func resultOfAnOlderRequestIsNotReduced() async {
    let store = CounterStore.instantiate()
    let newest = DustBuster()
    let older = Task(replacing: newest) {
      await untilCancelled()
      return CounterAction().invokeUnlessCancelled(.set(1))
    }
    let newer = Task(replacing: newest) { CounterAction().invokeUnlessCancelled(.set(2)) }

    #expect(await newer.value)
    #expect(await older.value == false)
    #expect(store.count.value == 2)
  }

  // MARK: Invoking unless cancelled

  @Test func outsideATaskItInvokes() async {
    let dispatcher = Dispatcher.shared
    let store = CounterStore.instantiate()
    let wasInvoked = Log<Bool>()

    await inParallel(1) { _ in
      withDispatcher(dispatcher) {
        wasInvoked.append(CounterAction().invokeUnlessCancelled(.add(1)))
      }
    }

    #expect(wasInvoked.entries == [true])
    #expect(store.count.value == 1)
  }

  @Test func observersHaveBeenToldWhenItReturns() {
    let store = CounterStore.instantiate()
    let recorder = ValueRecorder(store.count)

    CounterAction().invokeUnlessCancelled(.add(1))

    #expect(recorder.values == [0, 1])
  }

  @Test func whetherTheTaskIsCancelledIsAskedLast() async {
    let store = CounterStore.instantiate()

    let wasInvoked = await Task { LateAction().invokeUnlessCancelled(.add(1)) }.value

    #expect(!wasInvoked)
    #expect(store.count.value == 0)
  }
}

/// Its task is cancelled when it already has begun to invoke.
private struct LateAction: Actionable {
  typealias DispatchStateType = Dispatcher.Counter

  var dispatcher: Dispatcher {
    withUnsafeCurrentTask { $0?.cancel() }
    return .shared
  }
}

@MainActor
private final class SearchView {
  private(set) var found: [String] = []
  private let newest = DustBuster()

  func search(_ text: String) -> Task<Void, Never> {
    Task(replacing: newest) { found.append(text) }
  }
}

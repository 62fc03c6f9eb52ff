import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// A `DustBuster` cancels its tasks.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TaskTests {
  private let dusts = DustBuster()

  @Test func cleaningADustBusterCancelsItsTask() async {
    let task = Task { await untilCancelled() }
    task.cleaned(by: dusts)
    #expect(!task.isCancelled)

    dusts.clean()

    #expect(task.isCancelled)
    await task.value
  }

  @Test func deallocatingADustBusterCancelsItsTask() async {
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

  @Test func dustBusterReleasesATaskAfterTheTaskEnds() async {
    await withCheckedContinuation { continuation in
      let result = Carried(AtEnd { continuation.resume() })
      Task { [result] in result.value }.cleaned(by: dusts)
    }

    dusts.clean()
  }

  @Test func dustBusterDoesNotCancelAnEndedTask() async {
    let task = Task {}
    task.cleaned(by: dusts)

    await task.value
    await Dispatcher.shared.settled()

    #expect(!task.isCancelled)
  }
}

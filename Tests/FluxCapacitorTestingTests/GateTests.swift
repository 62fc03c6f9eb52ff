import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct GateTests {
  private let gate = Gate()

  @Test func taskWaitsAtAGateUntilTheGateOpens() async {
    let isDone = Variable(false)
    let work = Task {
      await gate.pass()
      isDone.value = true
    }

    await gate.reached()
    #expect(!isDone.value)
    gate.open()
    await work.value

    #expect(isDone.value)
    await gate.pass()
  }

  @Test func openingAGateReleasesAllWaitingTasks() async {
    await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { await gate.pass() } }
      await gate.reached(100)
      gate.open()
    }
    for _ in 0..<100 { await gate.pass() }
    await gate.reached(100)
  }

  @Test func taskThatIsCancelledAtAGatePassesWhenTheGateOpens() async {
    let work = Task {
      await gate.pass()
      return Task.isCancelled
    }
    await gate.reached()

    work.cancel()
    await Task.yield()
    gate.open()

    #expect(await work.value)
  }

  @Test func gateFailsTheTestWhenFewerTasksThanExpectedArriveInTime() async {
    gate.open()
    await gate.pass()

    let failure = await failure { await gate.reached(2, within: .milliseconds(1)) }

    #expect(failure == "Waited 0.001 seconds for arrivals at the gate: 1 of 2 came.")
  }

  @Test func taskThatArrivesWhileAGateOpensPassesTheGate() async {
    for _ in 0..<2_000 {
      let gate = Gate()
      await withTaskGroup { group in
        for _ in 0..<3 { group.addTask { await gate.pass() } }
        group.addTask { gate.open() }
      }
    }
  }
}

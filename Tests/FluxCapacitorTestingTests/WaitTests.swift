import FluxCapacitorTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct WaitTests {
  private let clock = ManualClock()

  /// Although the clock advances by an hour at once, the wait counts only one sleep of 0.3 seconds.
  @Test func waitDoesNotCountAnHourInWhichNoTaskRunsTowardTheTimeLimit() async {
    let happening = Task { [clock] in
      await clock.sleeping()
      let jump = { clock.advance(by: .seconds(3_600)) }
      jump()
      #expect(await clock.sleeping() == [.milliseconds(300)])
    }

    let hasHappened = await wait(atMost: .seconds(30), by: clock) { happened in
      Task {
        await happening.value
        happened()
      }
    }

    #expect(hasHappened)
  }

  @Test func waitEndsAtTheTimeLimitWhenTheEventDoesNotHappen() async {
    let passing = Task { [clock] in
      for _ in 0..<100 {
        await clock.sleeping()
        await clock.advance(by: .milliseconds(300))
      }
    }

    #expect(await !wait(atMost: .seconds(30), by: clock) { _ in })

    await passing.value
    #expect(clock.now.offset == .seconds(30))
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
  func waitWithATimeLimitOfANanosecondOrLessEndsImmediately(limit: Duration) async {
    #expect(await !wait(atMost: limit) { _ in })
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func waitAcceptsTheLongestTimeLimit(limit: Duration) async {
    #expect(await wait(atMost: limit) { happened in Task { happened() } })
  }
}

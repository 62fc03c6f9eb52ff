#if DEBUG
  import FluxCapacitor
  import FluxCapacitorDebugging
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct EveryInterleavingTests {
    /// Returns the message with which the exploration of a scenario fails the test.
    private func failureOf(_ scenario: @escaping (Scenario) throws -> Void) async -> String {
      await failure { everyInterleaving(scenario) }
    }

    // MARK: The lost update

    private func readThenSet(_ scenario: Scenario) {
      let store = CounterStore.instantiate()
      for _ in 1...2 {
        scenario.thread {
          let count = store.count.value
          CounterAction().invoke(.set(count + 1))
        }
      }
      scenario.check { try expectEqual(store.count.value, 2) }
    }

    @Test func everyInterleavingReportsALostUpdateWithTheSameFailureEachTime() async {
      let failure = await failureOf(readThenSet)

      #expect(failure.hasPrefix("Schedule "))
      #expect(failure.contains("1 is not 2"))
      #expect(failure.contains("\nthread 1:\n"))
      #expect(await failureOf(readThenSet) == failure)
    }

    @Test func everyInterleavingPassesWhenNoUpdateIsLost() {
      #expect(everyInterleaving(twoIncrements) > 100)
    }

    @Test func replayingAFailedScheduleReproducesTheFailure() async throws {
      let first = await failureOf(readThenSet)
      let schedule = try #require(first.firstMatch(of: /replaying: "(.*)"/)?.1)

      var schedules = 0
      let again = await failure {
        schedules = everyInterleaving(replaying: String(schedule), readThenSet)
      }

      #expect(schedules == 1)
      #expect(again.contains("1 is not 2"))
    }

    // MARK: Random orders

    @Test func randomOrdersRevealALostUpdateWithTheSameFailureForTheSameSeed() async {
      func failureOfSeed(_ seed: UInt64) async -> String {
        await failure { everyInterleaving(random: 1_000, seed: seed, readThenSet) }
      }
      let first = await failureOfSeed(7)

      #expect(first.contains("1 is not 2"))
      #expect(first.contains(/replaying: ".*"/))
      #expect(await failureOfSeed(7) == first)
      #expect(await failureOfSeed(8) != first)
    }

    @Test func everyInterleavingRunsAllRandomOrdersWhenNoUpdateIsLost() {
      #expect(everyInterleaving(random: 250, seed: 7, twoIncrements) == 250)
    }

    /// Each thread has to be interrupted after each of its steps but the last.
    @Test func randomOrdersReachAFaultThatNeedsManyPreemptions() async {
      let failure = await failure {
        everyInterleaving(random: 20_000, seed: 7) { scenario in
          let turns = Variable(0)
          for parity in 0...1 {
            scenario.thread {
              for turn in 0..<3 { turns.modify { $0 += $0 == turn * 2 + parity ? 1 : 0 } }
            }
          }
          scenario.check { try expectEqual(turns.value / 6, 0) }
        }
      }

      #expect(failure.contains("1 is not 0"))
    }

    // MARK: Other failures

    @Test func interleavingPointsRevealALostUpdateToAPropertyWithoutALock() async {
      let failure = await failureOf { scenario in
        let shared = Shared()
        for _ in 1...2 {
          scenario.thread {
            interleavingPoint()
            let number = shared.number
            interleavingPoint()
            shared.number = number + 1
          }
        }
        scenario.check { try expectEqual(shared.number, 2) }
      }

      #expect(failure.contains("1 is not 2"))
    }

    @Test func errorThatAThreadThrowsFailsTheScenario() async {
      let failure = await failureOf { scenario in
        scenario.thread("the first") { throw NotEqual(description: "odd") }
      }

      #expect(failure.contains("the first throws odd."))
    }

    @Test func errorOfAScenarioShowsNoSecret() async {
      let scenarios: [(Scenario) throws -> Void] = [
        { _ in throw Leak() },
        { scenario in scenario.thread { throw Leak() } },
        { scenario in scenario.task { throw Leak() } },
        { scenario in scenario.thread { Issue.record(Leak()) } },
        { scenario in
          scenario.thread {}
          scenario.check { throw Leak() }
        },
      ]
      for scenario in scenarios {
        let failure = await failureOf(scenario)

        #expect(failure.contains("Leak(password: •••)"), "\(failure)")
        #expect(!failure.contains("s3cret"))
      }
    }

    @Test func everyInterleavingReportsAScenarioThatDiffersBetweenRuns() async {
      var runs = 0
      let failure = await failureOf { scenario in
        runs += 1
        let (variable, isOdd) = (Variable(0), runs % 2 == 1)
        for _ in 1...2 {
          scenario.thread { if isOdd { variable.value += 1 } }
        }
      }

      #expect(failure.contains("does not do the same thing each time"))
    }

    @Test func everyInterleavingReportsAScenarioThatDoesNotEnd() async {
      let failure = await failureOf { scenario in
        let variable = Variable(0)
        scenario.thread { while variable.value == 0 {} }
      }

      #expect(failure.contains("it doesn't end: thread 1 spins"))
      #expect(failure.contains("while variable.value == 0 {}"))
    }

    @Test func everyInterleavingReportsATaskThatDoesNotEnd() async {
      let failure = await failureOf { scenario in
        let variable = Variable(0)
        scenario.task("poller") { while variable.value == 0 {} }
      }

      #expect(failure.contains("it doesn't end: poller spins"))
    }

    @Test func everyInterleavingNamesTasksThatWaitForEachOther() async {
      let failure = await failureOf { scenario in
        let (left, right) = (Dispatcher(), Dispatcher())
        scenario.task("left") { left.read { right.read {} } }
        scenario.task { right.read { left.read {} } }
      }

      #expect(failure.contains("left waits for a lock that task 2 holds"))
    }

    @Test func tasksOfAScenarioHaveDifferentNames() async {
      let failure = await failureOf { scenario in
        let variable = Variable(0)
        scenario.task("task 1") { variable.value += 1 }
        scenario.task { variable.value += 1 }
        scenario.check { try expectEqual(variable.value, 0) }
      }

      #expect(failure.contains("task 2 ("))
    }

    @Test func knownIssuesAndWarningsFailNoSchedule() async {
      await everyInterleaving { scenario in
        scenario.thread { withKnownIssue { #expect(Bool(false)) } }
        scenario.thread {}
      }
      #if compiler(>=6.3)
        await everyInterleaving { scenario in
          scenario.thread { Issue.record("A warning is no failure.", severity: .warning) }
          scenario.thread {}
        }
      #endif
    }

    @Test func failedExpectationFailsItsScheduleWhereverItStands() async {
      let queue = DispatchQueue(label: "q")
      let places: [(place: String, (Scenario, Variable<Int>) -> Void)] = [
        ("the setup", { _, _ in #expect(Bool(false)) }),
        ("a thread", { scenario, variable in scenario.thread { #expect(variable.value == 1) } }),
        ("a task", { scenario, variable in scenario.task { #expect(variable.value == 1) } }),
        (
          "a task after a suspension",
          { scenario, variable in
            scenario.task {
              await Task.yield()
              #expect(variable.value == 1)
            }
          }
        ),
        (
          "a task of a thread",
          { scenario, variable in scenario.thread { Task { #expect(variable.value == 1) } } }
        ),
        (
          "an observer on a queue",
          { scenario, variable in
            let dust = variable.observe(on: .queue(queue), ignoreFirst: true) { #expect($0 == 1) }
            scenario.check { dust.clean() }
          }
        ),
        (
          "an observer on main",
          { scenario, variable in
            scenario.thread { variable.observe(on: .main) { #expect($0 == 1) }.clean() }
          }
        ),
        ("a check", { scenario, variable in scenario.check { #expect(variable.value == 1) } }),
      ]
      for (place, body) in places {
        for isAsynchronous in [false, true] {
          let failure = await failure {
            let scenario: (Scenario) -> Void = { scenario in
              let variable = Variable(0)
              scenario.thread { variable.value = 0 }
              body(scenario, variable)
            }
            if isAsynchronous {
              nonisolated(unsafe) let scenario = scenario
              await everyInterleaving { scenario($0) }
            } else {
              everyInterleaving(scenario)
            }
          }

          #expect(failure.contains("Expectation failed"), "\(place)")
          #expect(failure.contains("To run it again"), "\(place)")
        }
      }
    }

    @Test func explorationStopsAtItsFirstFailureAlsoInsideAKnownIssue() async {
      let reports = Log<String>()
      nonisolated(unsafe) var schedules: [Int] = []
      let scenario: @Sendable (Scenario) -> Void = { scenario in
        let store = CounterStore.instantiate()
        for _ in 1...2 {
          scenario.thread {
            let count = store.count.value
            CounterAction().invoke(.set(count + 1))
          }
        }
        scenario.check { #expect(store.count.value == 2) }
      }
      @Sendable func note(_ issue: Issue) -> Bool {
        reports.append(issue.comments.map(\.rawValue).joined())
        return true
      }

      await withKnownIssue {
        schedules.append(await everyInterleaving(scenario))
      } matching: {
        note($0)
      }
      withKnownIssue {
        schedules.append(everyInterleaving { scenario($0) })
      } matching: {
        note($0)
      }

      #expect(schedules[0] == schedules[1])
      #expect(reports.entries.count == 2)
      #expect(reports.entries.allSatisfy { $0.contains("To run it again") })
    }

    @Test(arguments: [
      "first 1, then 2", "", "1×9223372036854775807 2×1", "0×1", "-1×1", "1×0", "1×-1", "1××2",
      "×1×2",
      "1×99999999999999999999",
    ])
    func everyInterleavingRejectsAnInvalidScheduleToReplay(schedule: String) async {
      let failure = await failure {
        everyInterleaving(replaying: schedule, readThenSet)
      }

      #expect(
        failure == #""\#(schedule)" is not a schedule: a schedule looks like "1×12 2×7 1×3"."#
      )
    }

    @Test(arguments: [3, Int.max])
    func replayOfAThreadThatTheScenarioLacksFails(thread: Int) async {
      let failure = await failure {
        everyInterleaving(replaying: "\(thread)×\(Int.max)") { $0.thread { interleavingPoint() } }
      }

      #expect(failure.contains("thread \(thread) can't continue"))
    }

    @Test func replayThatEndsBeforeItsScheduleFails() async {
      let failure = await failure {
        everyInterleaving(replaying: "1×900") { $0.thread { interleavingPoint() } }
      }

      #expect(failure.contains("it ends before the schedule \"1×900\" does"))
    }

    // MARK: Long explorations

    @Test(arguments: [1, 2, 3, 50]) func limitedExplorationRunsASample(limit: Int) {
      #expect(everyInterleaving(limit: limit, twoIncrements) == limit)
    }

    /// The race needs a preemption of the thread that runs first, long before the last steps of the schedule.
    @Test func sampleContainsSchedulesThatDifferEarly() async {
      let failure = await failure {
        everyInterleaving(limit: 300) { scenario in
          let (shared, variable) = (Shared(), Variable(0))
          for number in 1...3 {
            scenario.thread {
              interleavingPoint()
              if number == 1 { shared.number += 1 }
              interleavingPoint()
              if number == 2, shared.number == 0 { shared.number = -10 }
              for _ in 1...50 { variable.value += 1 }
            }
          }
          scenario.check { try expectEqual(shared.number, 1) }
        }
      }

      #expect(failure.contains("-9 is not 1"))
    }

    @Test func schedulesWithOnePreemptionRunFirst() async throws {
      let failure = await failureOf { scenario in
        let shared = Shared()
        scenario.thread {
          interleavingPoint()
          let number = shared.number
          interleavingPoint()
          shared.number = number + 1
          for _ in 1...200 { interleavingPoint() }
        }
        scenario.thread {
          for _ in 1...200 { interleavingPoint() }
          shared.number += 1
        }
        scenario.check { try expectEqual(shared.number, 2) }
      }

      let number = try #require(failure.firstMatch(of: /Schedule (\d+)/)?.1)
      #expect(Int(number) ?? .max < 500)
    }

    @Test func eachScheduleCountsOnce() {
      func exploration(_ preemptions: Int) -> Int {
        everyInterleaving(preemptions: preemptions) { scenario in
          for _ in 1...2 { scenario.thread { interleavingPoint() } }
        }
      }
      // The first thread goes on at its point, or the second begins there, and can be interrupted at its own.
      #expect([0, 1, 2, 3].map(exploration) == [2, 4, 6, 6])
    }

    @Test func tasksHaveNamesOfTheirOwn() async {
      let failure = await failureOf { scenario in
        let variable = Variable(0)
        scenario.task("the reader") {
          await Task.yield()
          _ = variable.value
        }
        for _ in 1...2 {
          scenario.thread {
            Task {
              variable.value += 1
              await Task.yield()
              variable.value += 1
            }
          }
        }
        scenario.check { try expectEqual(variable.value, 0) }
      }

      let names = failure.split(separator: "\n").compactMap {
        $0.wholeMatch(of: /(.*) \(\d+\):/)?.1
      }
      #expect(Set(names) == ["the reader", "task 2", "task 3"])
    }

    @Test func scenarioWithAsManySchedulesAsTheLimitPasses() {
      let schedules = everyInterleaving(preemptions: 1, twoIncrements)

      let again = everyInterleaving(preemptions: 1, limit: schedules, twoIncrements)

      #expect(again == schedules)
    }

    @Test func longExplorationShowsTheNumberOfItsSchedules() async throws {
      let result = try await #require(
        processExitsWith: .success,
        observing: [\.standardErrorContent]
      ) {
        everyInterleaving(preemptions: 16) { scenario in
          for _ in 1...2 {
            scenario.thread { for _ in 1...7 { interleavingPoint() } }
          }
        }
      }

      let output = String(decoding: result.standardErrorContent, as: UTF8.self)
      let lines = output.matches(of: /everyInterleaving at EveryInterleavingTests.swift:\d+: (.*)/)
      #expect(lines.map(\.1) == ["10,000 schedules so far."])
    }

    // MARK: Queues and tasks

    @Test func everyInterleavingTreatsBlocksOnDispatchQueuesAsThreads() async {
      let failure = await failureOf { scenario in
        let (variable, shared) = (Variable(0), Shared())
        let dust = variable.observe(on: .queue(DispatchQueue(label: "q")), ignoreFirst: true) {
          interleavingPoint()
          shared.number = $0
        }
        scenario.thread {
          variable.value = 1
          interleavingPoint()
          shared.number = 2
        }
        scenario.check {
          try expectEqual(shared.number, 1)
          dust.clean()
        }
      }

      #expect(failure.contains(#"queue "q":"#))
    }

    @Test func everyInterleavingRunsObserversOnMainOnTheMainActor() {
      everyInterleaving { scenario in
        let variable = Variable(0)
        let shared = Shared()
        let dust = variable.observe(on: .main, ignoreFirst: true) { [screen = Screen()] value in
          screen.show(value)
          shared.number = screen.shown
        }
        scenario.thread { variable.value = 1 }
        scenario.check {
          try expectEqual(shared.number, 1)
          dust.clean()
        }
      }
    }

    @Test func everyInterleavingTreatsTasksAsThreads() async {
      let failure = await failureOf { scenario in
        let store = CounterStore.instantiate()
        for _ in 1...2 {
          scenario.task {
            let count = store.count.value
            await Task.yield()
            CounterAction().invoke(.set(count + 1))
          }
        }
        scenario.check { try expectEqual(store.count.value, 2) }
      }

      #expect(failure.contains("1 is not 2"))
    }

    @Test func threadOfAScenarioWakesATaskByAdvancingAManualClock() {
      everyInterleaving { scenario in
        let store = CounterStore.instantiate()
        let clock = ManualClock()
        let deadline = clock.now.advanced(by: .seconds(3600))
        scenario.task {
          try await clock.sleep(until: deadline)
          CounterAction().invoke(.add(1))
        }
        scenario.thread { clock.advance(by: .seconds(3600)) }
        scenario.check { #expect(store.count.value == 1) }
      }
    }

    // The runtime holds a lock of the task during the handler, so another thread would wait for the lock for ever.
    @Test func noThreadRunsDuringACancellationHandlerThatYields() {
      everyInterleaving { scenario in
        let lock = Lock()
        let shared = Shared()
        for _ in 1...2 {
          scenario.thread { try lock.withLock { try expectEqual(shared.number, 0) } }
        }
        scenario.thread {
          // This thread continues while another thread that it yields to waits for the lock.
          scheduledThread?.reach(.yield)
          whileCancelling {
            shared.number = 1
            scheduledThread?.reach(.yield)
            interleavingPoint()
            shared.number = 0
          }
        }
      }
    }

    @Test func everyInterleavingReportsATaskThatWaitsForever() async {
      let failure = await failureOf { scenario in
        scenario.task { await Gate().pass() }
      }

      #expect(failure.contains("a task waits for something that never happens"))
    }

    @Test func everyInterleavingReportsEffectsThatWaitForEachOther() async {
      let failure = await failureOf { scenario in
        let (first, second) = (Effects(.serial), Effects(.serial))
        scenario.thread { first.run { _ in await second.perform { _ in } } }
        scenario.thread { second.run { _ in await first.perform { _ in } } }
      }

      #expect(failure.contains("effects wait for each other. The effect of "))
    }

    @Test func effectsMayWaitForValuesAndPausesAtTheEndOfAScenario() {
      everyInterleaving(preemptions: 0) { scenario in
        let (effects, clock, counter) = (Effects(.serial), ManualClock(), Variable(0))
        let others = Effects(.serial)
        scenario.thread { effects.run { _ in for await _ in counter.values {} } }
        scenario.thread { effects.run { _ in } }
        scenario.thread { others.run { _ in try? await clock.sleep(for: .seconds(1)) } }
        scenario.check { withExtendedLifetime((effects, others)) {} }
      }
    }

    // MARK: Concurrent explorations and traps

    @Test func concurrentExplorationsTryTheSameNumberOfSchedules() async {
      await withTaskGroup(of: Int.self) { group in
        for _ in 1...4 {
          group.addTask { everyInterleaving(preemptions: 1, twoIncrements) }
        }
        var counts: Set<Int> = []
        for await count in group { counts.insert(count) }
        #expect(counts.count == 1)
      }
    }

    private func twoIncrements(_ scenario: Scenario) {
      let store = CounterStore.instantiate()
      for _ in 1...2 {
        scenario.thread { CounterAction().invoke(.add(1)) }
      }
      scenario.check { #expect(store.count.value == 2) }
    }

    @Test func everyInterleavingPrintsTheScheduleWhenATrapEndsTheProcess() async throws {
      let result = try await #require(
        processExitsWith: .failure,
        observing: [\.standardOutputContent]
      ) {
        everyInterleaving { scenario in
          let variable = Variable(0)
          scenario.thread("the second") { variable.modify { _ in variable.value = 1 } }
        }
      }

      let output = String(decoding: result.standardOutputContent, as: UTF8.self)
      #expect(output.contains(#"the second ends the process in the schedule "1×"#))
    }
  }

  @MainActor
  private final class Screen {
    private(set) var shown = 0

    nonisolated init() {}

    func show(_ number: Int) { shown = number }
  }

  /// A number without a lock, because only one thread of the scenario runs at a time.
  private final class Shared: @unchecked Sendable {
    var number = 0
  }

  /// An error with a description that shows a secret.
  private struct Leak: Error, CustomStringConvertible {
    struct Password: Secret {
      let text = "s3cret"
    }

    let password = Password()
    var description: String { password.text }
  }

  private struct NotEqual: Error, CustomStringConvertible {
    let description: String
  }

  private func expectEqual(_ left: Int, _ right: Int) throws {
    if left != right { throw NotEqual(description: "\(left) is not \(right)") }
  }
#endif

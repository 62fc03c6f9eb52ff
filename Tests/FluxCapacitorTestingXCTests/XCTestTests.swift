import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import XCTest

// This file doesn't import Testing, because the library must support XCTest without Testing.
final class XCTestTests: XCTestCase {
  /// The failures that `failures(of:)` has collected, or `nil` while `failures(of:)` isn't running.
  private var failures: [String]?

  /// No task creates a property of a test case.
  private let clock = ManualClock()

  func testWithDispatcherIsolatesTheStoresOfAnXCTest() {
    let store = withDispatcher(Dispatcher()) { () -> CounterStore in
      let store = CounterStore.instantiate()
      CounterAction().invoke(.add(1))
      return store
    }

    XCTAssertEqual(store.count.value, 1)
  }

  func testRecordersRecordValuesAndStatesInAnXCTest() async {
    await withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      let values = ValueRecorder(store.count)
      let states = DispatchRecorder()

      CounterAction().invoke(.add(1))

      let recorded = await values.next(2)
      XCTAssertEqual(recorded, [0, 1])
      XCTAssertEqual(states.states(of: Dispatcher.Counter.self), [.add(1)])
    }
  }

  func testClockOfATestCaseWakesEachTask() async throws {
    let clock = clock
    for round in 0..<100 {
      let instants = Variable<[Duration]>([])
      let ticks = Task {
        for _ in 1...3 {
          try await clock.sleep(for: .seconds(1))
          instants.value.append(clock.now.offset - .seconds(3 * round))
        }
      }
      await clock.advance(by: .seconds(3))
      XCTAssertEqual(instants.value, [.seconds(1), .seconds(2), .seconds(3)])
      try await ticks.value
    }
  }

  func testStoreTesterReportsAnUnexpectedChangeToXCTest() throws {
    withDispatcher(Dispatcher()) {
      let tester = StoreTester(CounterStore.self)
      tester.invoke(.add(2)) {
        Change(\.count, to: 2)
        Change(\.doubled, to: 4)
      }

      let failures = failures {
        tester.invoke(.add(1)) {
          Change(\.doubled, to: 6)
        }
      }

      XCTAssertEqual(
        failures,
        [
          """
          CounterStore after Counter.add(1):
          ✗ count: 2 → 3, which was not expected
            doubled: 4 → 6

          This expectation passes:
            Change(\\.count, to: 3)
            Change(\\.doubled, to: 6)
          """
        ]
      )
    }
  }

  func testExpectStatesReportsAnUnexpectedStateToXCTest() {
    withDispatcher(Dispatcher()) {
      expectStates {
        Dispatcher.Counter.add(1)
      } when: {
        CounterAction().invoke(.add(1))
      }

      let failures = failures {
        expectStates {
        } when: {
          CounterAction().invoke(.add(1))
        }
      }

      XCTAssertEqual(failures.count, 1)
      XCTAssertTrue(failures[0].contains("✗ Counter.add(1) was not expected"))
    }
  }

  #if DEBUG
    func testEveryInterleavingReportsALostUpdateToXCTest() {
      struct Lost: Error {}
      let scenario: (Bool, Scenario) -> Void = { isMended, scenario in
        let count = Variable(0)
        for _ in 1...2 {
          scenario.thread {
            if isMended { count.value += 1 } else { count.value = count.value + 1 }
          }
        }
        scenario.check { if count.value != 2 { throw Lost() } }
      }

      everyInterleaving { scenario(true, $0) }
      let failures = failures { everyInterleaving { scenario(false, $0) } }

      XCTAssertEqual(failures.count, 1)
      XCTAssertTrue(failures[0].contains("the check throws Lost()."))
    }
  #endif

  func testSettledWaitsForATaskThatAGateAndAManualClockDelay() async {
    await withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      let (gate, clock, dustBuster) = (Gate(), ManualClock(), DustBuster())
      Task {
        await gate.pass()
        try? await clock.sleep(for: .seconds(1))
        CounterAction().invoke(.add(1))
      }
      .cleaned(by: dustBuster)

      await gate.reached()
      gate.open()
      await clock.sleeping()
      await clock.advance(by: .seconds(1))
      await Dispatcher.shared.settled()

      XCTAssertEqual(store.count.value, 1)
    }
  }

  // MARK: Failures

  /// Runs a body, and returns the messages of its failures without failing the test.
  private func failures(of body: () -> Void) -> [String] {
    failures = []
    body()
    defer { failures = nil }
    return failures ?? []
  }

  #if canImport(ObjectiveC)
    override func record(_ issue: XCTIssue) {
      guard failures != nil else { return super.record(issue) }
      failures?.append(issue.compactDescription)
    }
  #else
    override func recordFailure(
      withDescription description: String,
      inFile filePath: String,
      atLine lineNumber: Int,
      expected: Bool
    ) {
      guard failures != nil else {
        return super.recordFailure(
          withDescription: description,
          inFile: filePath,
          atLine: lineNumber,
          expected: expected
        )
      }
      failures?.append(description.replacingOccurrences(of: "failed - ", with: ""))
    }
  #endif
}

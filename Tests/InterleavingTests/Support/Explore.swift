#if DEBUG
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// The number of schedules with one preemption above which a scenario counts as large.
  ///
  /// By default, a large scenario isn't explored with two preemptions, which would take most of the time of all
  /// tests. `.ci/mutants` explores it by setting PREEMPTIONS to 2.
  private let mostSchedulesWithOnePreemption = 100

  /// Runs a scenario through every order of its threads' steps, and prints the number of schedules.
  ///
  /// - Parameters:
  ///   - atLeast: The number of preemptions to allow, if that number is greater than the default. The default is
  ///     three if THOROUGH is set in the environment, one for a large scenario, and two otherwise.
  ///   - isReduced: Whether to skip schedules that are equivalent to earlier schedules. If `true`, the
  ///     threads may share data only in a `Log`.
  func explore(
    _ name: String = #function,
    atLeast: Int = 0,
    isReduced: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    let isComplete = atLeast >= 2 || ProcessInfo.processInfo.environment["PREEMPTIONS"] == "2"
    let bounds = isThorough ? [max(atLeast, 3)] : isComplete ? [max(atLeast, 2)] : [1, 2]
    var schedules = 0
    for preemptions in bounds where schedules <= mostSchedulesWithOnePreemption {
      let exploration = Exploration(preemptions: preemptions, isReduced: isReduced)
      let failure = exploration.run(scenario)
      schedules = exploration.schedules
      guard let failure else { continue }
      Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
      break
    }
    let test = sourceLocation.fileName.split(separator: ".")[0]
    print("\(schedules) schedules: \(test).\(name)")
  }

  /// Runs tests on the threads of explorations, so that the threads of the pool are free for other tests.
  struct ExplorationThreadsTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
      testCase == nil ? nil : self
    }

    func provideScope(
      for _: Test,
      testCase _: Test.Case?,
      performing function: @Sendable () async throws -> Void
    ) async throws {
      try await onExplorationThread(function)
    }
  }

  extension Trait where Self == ExplorationThreadsTrait {
    static var onExplorationThreads: Self { Self() }
  }
#endif

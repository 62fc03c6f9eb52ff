#if DEBUG
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// The largest number of schedules with one preemption for which a default run also tries two preemptions.
  ///
  /// Of the faults in `.ci/mutants.txt`, one preemption finds nine in ten. Two preemptions find the others in
  /// scenarios with few schedules, and after few schedules. `.ci/mutants` sets PREEMPTIONS to 2, which explores each
  /// scenario completely.
  private let fewSchedules = 100

  /// The largest number of schedules with two preemptions in a default run.
  private let enoughSchedules = 800

  /// Runs a scenario through the orders of its threads' steps, and prints the number of schedules.
  ///
  /// - Parameters:
  ///   - atLeast: The number of preemptions to allow completely. By default, a run allows three if THOROUGH is
  ///     set in the environment.
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
    for preemptions in bounds where schedules <= fewSchedules {
      let limit = schedules == 0 ? nil : enoughSchedules
      let exploration = Exploration(preemptions: preemptions, limit: limit, isReduced: isReduced)
      let failure = exploration.run(scenario)
      schedules = exploration.schedules
      guard let failure else { continue }
      Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
      break
    }
    let test = sourceLocation.fileName.split(separator: ".")[0]
    print("\(schedules) schedules: \(test).\(name)")
  }
#endif

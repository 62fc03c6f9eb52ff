#if DEBUG
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// The schedules that a run of the tests explores of each scenario.
  ///
  /// Of the faults in `.ci/mutants.txt`, one preemption finds nine in ten. Two preemptions find nearly all others, in
  /// scenarios with few schedules and after few schedules. A scenario has a limit, because some scenarios have millions
  /// of schedules with three preemptions.
  private struct Extent {
    /// The number of preemptions that each schedule may contain.
    let preemptions: Int

    /// The largest number of schedules.
    let limit: Int

    /// The largest number of schedules with one preemption less for which the scenario is explored to this extent.
    let formerLimit: Int

    static let usual = [
      Extent(preemptions: 1, limit: 6_000, formerLimit: 0),
      Extent(preemptions: 2, limit: 500, formerLimit: 100),
    ]

    static let thorough = [
      Extent(preemptions: 2, limit: 6_000, formerLimit: 0),
      Extent(preemptions: 3, limit: 2_000, formerLimit: 500),
    ]
  }

  /// Runs a scenario through the orders of its threads' steps, and prints the number of schedules.
  ///
  /// - Parameters:
  ///   - isThorough: Whether to explore the scenario thoroughly. By default, a run does so if THOROUGH is set in the
  ///     environment.
  ///   - isReduced: Whether to skip schedules that are equivalent to earlier schedules. If `true`, the
  ///     threads may share data only in a `Log`.
  func explore(
    _ name: String = #function,
    isThorough: Bool = isThorough,
    isReduced: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    var schedules = 0
    for extent in isThorough ? Extent.thorough : Extent.usual {
      guard schedules <= extent.formerLimit else { break }
      let exploration = Exploration(
        preemptions: extent.preemptions,
        limit: extent.limit,
        isReduced: isReduced
      )
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

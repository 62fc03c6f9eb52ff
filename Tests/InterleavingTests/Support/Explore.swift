#if DEBUG
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  @testable import RandomInterleavings
  import Testing

  /// The schedules that a run of the tests explores of each scenario.
  ///
  /// Of the faults in `.ci/mutants.txt`, one preemption finds nine in ten. Two preemptions find nearly all others. A
  /// sample of these schedules finds them sooner than the first schedules in depth-first order, which differ only near
  /// their ends. A scenario has a limit, because some scenarios have millions of schedules with three preemptions.
  private struct Extent {
    /// The number of preemptions that each schedule may contain.
    let preemptions: Int

    /// The approximate number of schedules in a sample, or nil to explore all schedules up to the limit.
    var sample: Int?

    /// The largest number of schedules.
    let limit: Int

    /// The largest number of schedules with one preemption less for which the scenario is explored to this extent.
    var formerLimit = Int.max

    static func usual(sample: Int) -> [Extent] {
      [
        Extent(preemptions: 1, limit: 6_000),
        Extent(preemptions: 2, sample: sample, limit: sample * 4, formerLimit: 500),
      ]
    }

    static let thorough = [
      Extent(preemptions: 1, limit: 6_000),
      Extent(preemptions: 2, limit: 6_000),
      Extent(preemptions: 3, sample: 1_000, limit: 2_000, formerLimit: 500),
    ]
  }

  private func report(_ failure: String?, at sourceLocation: SourceLocation) {
    if let failure { Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation) }
  }

  /// Runs a scenario in random orders of its threads' steps, for faults that need more preemptions.
  func explore(
    random schedules: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    let failure = Exploration(random: schedules, seed: 2).run(scenario)
    report(failure, at: sourceLocation)
  }

  /// Runs a scenario that RandomInterleavings has drawn, as its report shows, in random orders of its threads' steps.
  func explore(seed: UInt64, _ plan: Plan, sourceLocation: SourceLocation = #_sourceLocation) {
    let failure = plan.explore(schedules: 400, seed: seed).failure
    report(failure, at: sourceLocation)
  }

  /// Runs a scenario through the orders of its threads' steps, and prints the number of schedules.
  ///
  /// - Parameters:
  ///   - sample: The approximate number of schedules with two preemptions. If THOROUGH is set in the environment, the
  ///     function explores all of them, up to a limit, and a sample of the schedules with three.
  ///   - share: Each how many of the preemptions are tried. Pass more than one for a scenario that takes a second or more,
  ///     such as one with files. If THOROUGH is set, all are tried.
  ///   - isReduced: Whether to skip schedules that are equivalent to earlier schedules. If `true`, the
  ///     threads may share data only in a `Log`.
  func explore(
    _ name: String = #function,
    sample: Int = 125,
    oneIn share: Int = 1,
    isReduced: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    let share = isThorough ? 1 : share
    var (former, schedules) = (1, 0)
    for extent in isThorough ? Extent.thorough : Extent.usual(sample: sample) {
      guard schedules * share <= extent.formerLimit else { break }
      // Each preemption multiplies the schedules by about the same number. Three in four are equivalent to others.
      let expected = schedules * schedules / former / 4
      let exploration = Exploration(
        preemptions: extent.preemptions,
        sparsity: extent.sample.map { max(1, expected / $0) } ?? share,
        limit: extent.limit,
        isReduced: isReduced
      )
      let failure = exploration.run(scenario)
      (former, schedules) = (max(1, schedules), exploration.schedules)
      report(failure, at: sourceLocation)
      if failure != nil { break }
    }
    let test = sourceLocation.fileName.split(separator: ".")[0]
    print("\(schedules) schedules: \(test).\(name)")
  }
#endif

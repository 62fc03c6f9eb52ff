#if DEBUG
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// Runs a scenario through every order of its threads' steps, and prints the number of schedules.
  ///
  /// - Parameters:
  ///   - atLeast: The number of preemptions to allow, if that number is greater than the default. The default
  ///     is two, or three if THOROUGH is set in the environment.
  ///   - isReduced: Whether to skip schedules that are equivalent to earlier schedules. If `true`, the
  ///     threads may share data only in a `Log`.
  func explore(
    _ name: String = #function,
    atLeast: Int = 0,
    isReduced: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    let exploration = Exploration(
      preemptions: max(atLeast, isThorough ? 3 : 2),
      isReduced: isReduced
    )
    if let failure = exploration.run(scenario) {
      Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
    }
    let test = sourceLocation.fileName.split(separator: ".")[0]
    print("\(exploration.schedules) schedules: \(test).\(name)")
  }
#endif

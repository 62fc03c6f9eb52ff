#if DEBUG
  import Foundation
  import FluxCapacitorTesting
  import Testing

  /// Runs a scenario through every order of its steps, and prints how many schedules that were.
  ///
  /// - Parameters:
  ///   - atLeast: How many preemptions there may be, if that is more than the usual two, or three if
  ///     THOROUGH is set in the environment.
  ///   - isReduced: Whether to leave out what comes to the same as an earlier schedule. Then
  ///     whatever the threads share besides the library is a `Trace`.
  func explore(
    _ name: String = #function,
    atLeast: Int = 0,
    isReduced: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ scenario: (Scenario) throws -> Void
  ) {
    let exploration = Exploration(preemptions: max(atLeast, preemptions), isReduced: isReduced)
    if let failure = exploration.run(scenario) {
      Issue.record(Comment(rawValue: failure), sourceLocation: sourceLocation)
    }
    let test = sourceLocation.fileName.split(separator: ".")[0]
    print("\(exploration.schedules) schedules: \(test).\(name)")
  }

  private let preemptions =
    ProcessInfo.processInfo.environment["THOROUGH"] == nil ? 2 : 3
#endif

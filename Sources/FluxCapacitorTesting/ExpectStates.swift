import FluxCapacitor

/// Expects that an operation has exactly these states dispatched, of whatever type, in this order.
///
/// ```swift
/// await expectStates {
///   Dispatcher.Search.isSearching(true)
///   Dispatcher.Search.found(["FluxCapacitor"])
///   Dispatcher.Search.isSearching(false)
/// } when: {
///   await action.search("flux")
/// }
/// ```
///
/// States that are not Equatable are the same if `dump` shows the same. What the operation leaves
/// behind on queues or in tasks is not waited for: end it with ``FluxCapacitor/Dispatcher/settled(within:isolation:fileID:filePath:line:column:)``
/// if it does.
///
/// - Parameters:
///   - dispatcher: Where they are dispatched.
///   - expected: The states.
///   - operation: What has them dispatched.
public func expectStates(
  on dispatcher: Dispatcher = .shared,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @StatesBuilder _ expected: () -> [any DispatchState],
  when operation: () async throws -> Void
) async rethrows {
  let recorder = DispatchRecorder(dispatcher)
  try await operation()
  compare(recorder.states, with: expected(), at: Place(fileID, filePath, line, column))
}

/// Expects that an operation has exactly these states dispatched, of whatever type, in this order.
///
/// The same for an operation that is not asynchronous.
///
/// - Parameters:
///   - dispatcher: Where they are dispatched.
///   - expected: The states.
///   - operation: What has them dispatched.
public func expectStates(
  on dispatcher: Dispatcher = .shared,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @StatesBuilder _ expected: () -> [any DispatchState],
  when operation: () throws -> Void
) rethrows {
  let recorder = DispatchRecorder(dispatcher)
  try operation()
  compare(recorder.states, with: expected(), at: Place(fileID, filePath, line, column))
}

/// Lists the states that are expected, one a line.
@resultBuilder
public enum StatesBuilder {
  public static func buildExpression(_ state: any DispatchState) -> [any DispatchState] { [state] }
  public static func buildBlock(_ states: [any DispatchState]...) -> [any DispatchState] {
    states.flatMap { $0 }
  }
  public static func buildOptional(_ states: [any DispatchState]?) -> [any DispatchState] {
    states ?? []
  }
  public static func buildEither(first states: [any DispatchState]) -> [any DispatchState] { states }
  public static func buildEither(second states: [any DispatchState]) -> [any DispatchState] { states }
  public static func buildArray(_ states: [[any DispatchState]]) -> [any DispatchState] {
    states.flatMap { $0 }
  }
}

private func compare(
  _ states: [any DispatchState],
  with expected: [any DispatchState],
  at place: Place
) {
  let difference = states.difference(from: expected, by: isSame)
  guard !difference.isEmpty else { return }
  var missing: Set<Int> = []
  var extra: Set<Int> = []
  for change in difference {
    switch change {
    case .remove(let offset, _, _): missing.insert(offset)
    case .insert(let offset, _, _): extra.insert(offset)
    }
  }

  var lines: [String] = []
  var (next, nextExpected) = (0, 0)
  while next < states.count || nextExpected < expected.count {
    if missing.contains(nextExpected) {
      lines.append("✗ \(shownState(expected[nextExpected])) was expected")
      nextExpected += 1
    } else if extra.contains(next) {
      lines.append("✗ \(shownState(states[next])) was not expected")
      next += 1
    } else {
      lines.append("  \(shownState(states[next]))")
      next += 1
      nextExpected += 1
    }
  }
  place.fail("Other states were dispatched than expected:\n\(lines.joined(separator: "\n"))")
}

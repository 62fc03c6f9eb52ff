import FluxCapacitor
import FluxCapacitorDebugging

/// Expects an asynchronous operation to dispatch exactly the listed states, in the listed order.
///
/// ```swift
/// await expectStates {
///   Dispatcher.Repository.isFetching(true)
///   Dispatcher.Repository.show(["octocat/FluxCapacitor"])
/// } when: {
///   action.fetch("octocat")
///   await Dispatcher.shared.settled()
/// }
/// ```
///
/// The states can have different types. States that aren't `Equatable` are compared part by part. A part that hides its own
/// parts, such as a `Secret`, must be `Equatable`, and a closure is the same only as its copies.
///
/// The function doesn't wait for work that the operation starts on queues or in tasks. If there is such work, end the
/// operation with `await Dispatcher.shared.settled()`, as in the example.
///
/// - Parameters:
///   - dispatcher: The dispatcher that receives the states.
///   - expected: The list of states, which is evaluated before the operation.
///   - operation: The operation that dispatches the states. They are compared after it has ended, also with an error.
///   - isolation: The actor of the caller.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
public func expectStates(
  on dispatcher: Dispatcher = .shared,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @ListBuilder<any DispatchState> _ expected: () -> [any DispatchState],
  when operation: () async throws -> Void
) async rethrows {
  let expected = expected()
  let recorder = DispatchRecorder(dispatcher)
  let place = Place(fileID, filePath, line, column)
  defer { compare(recorder.states, with: expected, on: dispatcher, at: place) }
  try await operation()
}

/// Expects a synchronous operation to dispatch exactly the listed states, in the listed order.
///
/// The states can have different types. States that aren't `Equatable` are compared part by part. A part that hides its own
/// parts, such as a `Secret`, must be `Equatable`, and a closure is the same only as its copies. The function doesn't wait
/// for work that the operation starts on queues or in tasks.
///
/// - Parameters:
///   - dispatcher: The dispatcher that receives the states.
///   - expected: The list of states, which is evaluated before the operation.
///   - operation: The operation that dispatches the states. They are compared after it has ended, also with an error.
///   - fileID: The location that a failure refers to, which is the location of the call by default.
///   - filePath: See `fileID`.
///   - line: See `fileID`.
///   - column: See `fileID`.
public func expectStates(
  on dispatcher: Dispatcher = .shared,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @ListBuilder<any DispatchState> _ expected: () -> [any DispatchState],
  when operation: () throws -> Void
) rethrows {
  let expected = expected()
  let recorder = DispatchRecorder(dispatcher)
  let place = Place(fileID, filePath, line, column)
  defer { compare(recorder.states, with: expected, on: dispatcher, at: place) }
  try operation()
}

private func compare(
  _ states: [any DispatchState],
  with expected: [any DispatchState],
  on dispatcher: Dispatcher,
  at place: Place
) {
  if place.failsInsideAReduce() { return }
  let (missing, extra) = differingPlaces(states, expected)
  if missing.isEmpty, extra.isEmpty { return }

  var lines: [String] = []
  var (next, nextExpected) = (0, 0)
  while next < states.count || nextExpected < expected.count {
    if missing.contains(nextExpected) {
      let state = expected[nextExpected]
      if extra.contains(next), let parts = parts(of: states[next], differingFrom: state) {
        lines += ["✗ \(shownState(states[next])) was not expected in this form:"] + parts
        next += 1
      } else {
        lines.append("✗ \(shownState(state)) was expected")
      }
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
  let list = lines.joined(separator: "\n")
  let passing = passingExpectation(states.map { code(forState: $0) })
  place.fail(
    """
    The states differ from the expected states:
    \(list)\(hintAtHiddenParts(in: states + expected))\(dispatcher.hintAtUnsettled)

    \(states.isEmpty ? "No state was invoked." : passing)
    """
  )
}

/// Returns the places of the missing and of the unexpected states.
private func differingPlaces(
  _ states: [any DispatchState],
  _ expected: [any DispatchState]
) -> (missing: Set<Int>, extra: Set<Int>) {
  // The time to find the fewest differences is quadratic, so long lists are compared place by place.
  if states.count * expected.count > 100_000 {
    let same = zip(states, expected).enumerated().filter { isSame($1.0, $1.1) }.map(\.offset)
    return (Set(expected.indices).subtracting(same), Set(states.indices).subtracting(same))
  }
  let (missing, extra) = states.difference(from: expected, by: isSame).offsets
  return (missing, extra)
}

/// Returns a line for each part in which a long state differs from the expected state. The result is nil if the
/// states are short or have different cases.
private func parts(
  of state: any DispatchState,
  differingFrom expected: any DispatchState
) -> [String]? {
  guard shownState(state).count + shownState(expected).count > 160 else { return nil }
  let difference = ValueDifference(from: state, to: expected, within: .ofTests)
  guard difference.changes.contains(where: { !$0.path.text.isEmpty }) else { return nil }
  return difference.changes.filter { !$0.isCount }.map {
    "    \($0.path.text): \($0.oldText), but \($0.newText) was expected"
  }
}

#if DEBUG
  import FluxCapacitor

  /// Consecutive steps of one thread that perform one operation for one line of the user's code. A report
  /// has one line for each passage.
  final class Passage {
    let first: LocatedStep

    /// The reason for which the thread doesn't continue, if the thread waits forever.
    let reasonToWait: String?

    /// The value of the operation, if the thread knows the value in this passage.
    var value: String?

    var steps = 1

    /// The number of equal operations in a row, such as the reads of a loop.
    var repetitions = 1

    init(_ step: LocatedStep, waitingBecause reason: String? = nil) {
      first = step
      reasonToWait = reason
      value = step.operation?.operation.value
      step.operation?.lastPassage = self
    }

    func includes(_ step: LocatedStep) -> Bool {
      guard first.isBeside(step) else { return false }
      // Steps that begin no operation matter only to the developers of the library.
      return first.operation === step.operation
        || first.text == nil && first.isInternal && step.isInternal
    }

    /// Whether the passage is the beginning of a thread.
    var isBeginning: Bool { first.text == Passage.beginning }
    static let beginning = "begins"

    /// Whether the beginning of a thread matters if the thread doesn't use the library. The first job of a
    /// task, and a thread that only starts a task, run no code of the scenario.
    var matters: Bool {
      first.thread.isMain || !first.thread.role.isJob && first.thread.children == 0
    }

    /// Whether the steps only free memory or end observations, after the code of the scenario has returned.
    var isCleanup: Bool {
      guard first.line == nil, first.text == nil, reasonToWait == nil else { return false }
      return first.operation.map {
        ["cleans the observation of", "releases"].contains($0.operation.verb)
      } ?? true
    }

    /// Joins this passage with the next one if both perform the same or equal operations.
    func join(_ other: Passage) -> Bool {
      guard first.isBeside(other.first), let operation = first.operation, reasonToWait == nil,
        other.reasonToWait == nil
      else { return false }
      if operation !== other.first.operation {
        guard operation.operation == other.first.operation?.operation, value == other.value,
          first.isContinued == other.first.isContinued
        else { return false }
        repetitions += 1
      }
      steps += other.steps
      return true
    }
  }

  /// A line of the test or of the application.
  struct UserLine: Hashable {
    let path: String
    let number: Int
  }

  /// A step or a wait of a thread, with the operation that the thread is performing.
  struct LocatedStep {
    let thread: ScenarioThread

    /// The line of the user's code, or nil if no user code has led to the step.
    let line: UserLine?

    /// The operation, or nil if the step belongs to no recorded operation.
    let operation: OngoingOperation?

    /// Whether an earlier passage has performed a part of the operation.
    let isContinued: Bool

    /// The description of a step that performs no operation of the library.
    let text: String?

    /// The function of the library that performs the step.
    let place: String?

    var isInternal: Bool { operation == nil || isContinued }

    /// Returns whether the same thread has taken both steps for the same line.
    func isBeside(_ other: LocatedStep) -> Bool {
      thread === other.thread && line == other.line && text == other.text
    }
  }
#endif

#if DEBUG
  import FluxCapacitor

  /// Consecutive steps of one thread that perform one operation for one line of the user's code. A report
  /// has one line for each passage.
  final class Passage {
    let thread: ScenarioThread

    /// The line of the user's code, or nil if no user code has led to the steps.
    let line: UserLine?

    /// The operation, or nil if the steps belong to no recorded operation.
    let operation: OngoingOperation?

    /// The description of steps that perform no operation of the library.
    let text: String?

    /// The reason for which the thread doesn't continue, if the thread waits forever.
    let reasonToWait: String?

    /// Whether an earlier passage has performed a part of the operation.
    let isContinued: Bool

    /// The value of the operation, if the thread knows the value in this passage.
    var value: String?

    /// The function of the library that performs the first step.
    let place: String?

    var steps = 1

    /// The number of equal operations in a row, such as the reads of a loop.
    var repetitions = 1

    init(_ step: LocatedStep, waitingBecause reason: String? = nil) {
      (thread, line, operation) = (step.thread, step.line, step.operation)
      (text, place, isContinued) = (step.text, step.place, step.isContinued)
      reasonToWait = reason
      value = operation?.operation.value
      operation?.lastPassage = self
    }

    func includes(_ step: LocatedStep) -> Bool {
      guard thread === step.thread, line == step.line, text == step.text else { return false }
      // Steps that begin no operation matter only to the developers of the library.
      return operation === step.operation || text == nil && isInternal && step.isInternal
    }

    private var isInternal: Bool { operation == nil || isContinued }

    /// Whether the passage is the beginning of a thread.
    var isBeginning: Bool { text == Passage.beginning }
    static let beginning = "begins"

    /// Whether the beginning of a thread matters if the thread doesn't use the library. The first job of a
    /// task, and a thread that only starts a task, run no code of the scenario.
    var matters: Bool { thread.isMain || !thread.role.isJob && thread.children == 0 }

    /// Whether the steps only free memory or end observations, after the code of the scenario has returned.
    var isCleanup: Bool {
      guard line == nil, text == nil, reasonToWait == nil else { return false }
      return operation.map {
        ["cleans the observation of", "releases"].contains($0.operation.verb)
      } ?? true
    }

    /// Joins this passage with the next one if both perform the same or equal operations.
    func join(_ other: Passage) -> Bool {
      guard thread === other.thread, line == other.line, text == other.text, let operation,
        reasonToWait == nil,
        other.reasonToWait == nil
      else { return false }
      if operation !== other.operation {
        guard operation.operation == other.operation?.operation, value == other.value,
          isContinued == other.isContinued
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
    let line: UserLine?
    let operation: OngoingOperation?
    let text: String?
    let place: String?

    var isContinued: Bool { operation?.lastPassage != nil }
    var isInternal: Bool { operation == nil || isContinued }
  }
#endif

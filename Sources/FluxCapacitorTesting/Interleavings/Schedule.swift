#if DEBUG
  import FluxCapacitor

  /// The order in which the threads of a scenario take their steps. In `1×12 2×7 1×3`, thread 1 takes 12
  /// steps, thread 2 takes 7 steps, and thread 1 takes 3 more steps.
  struct Schedule: CustomStringConvertible {
    private var parts: [(thread: Int, steps: Int)] = []

    init(of threads: [Int]) {
      for thread in threads {
        if parts.last?.thread == thread {
          parts[parts.count - 1].steps += 1
        } else {
          parts.append((thread, 1))
        }
      }
    }

    init?(_ description: String) {
      for part in description.split(separator: " ") {
        let numbers = part.split(separator: "×").map { Int($0) }
        guard numbers.count == 2, let thread = numbers[0], let steps = numbers[1], steps > 0
        else { return nil }
        parts.append((thread, steps))
      }
    }

    var description: String {
      parts.map { "\($0.thread)×\($0.steps)" }.joined(separator: " ")
    }

    var steps: Int { parts.reduce(0) { $0 + $1.steps } }

    /// Returns the number of the thread that takes a step, or nil if the schedule has fewer steps.
    func thread(at step: Int) -> Int? {
      var rest = step
      for part in parts {
        if rest < part.steps { return part.thread }
        rest -= part.steps
      }
      return nil
    }
  }

  extension ScheduledStep {
    /// The step of `interleavingPoint()`. The caller's state is unknown, so all interleaving points count
    /// as writes to the same memory location.
    static var interleavingPoint: Self { .write(2) }
  }
#endif

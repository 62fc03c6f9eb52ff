#if DEBUG
  import FluxCapacitor

  /// The order in which the threads of a scenario take their steps. In `1×12 2×7 1×3`, thread 1 takes 12
  /// steps, thread 2 takes 7 steps, and thread 1 takes 3 more steps.
  struct Schedule: CustomStringConvertible {
    /// The threads with the numbers of steps until the ends of their parts.
    private var parts: [(thread: Int, end: Int)] = []

    init(of threads: [Int]) {
      for thread in threads {
        if parts.last?.thread == thread {
          parts[parts.count - 1].end += 1
        } else {
          parts.append((thread, steps + 1))
        }
      }
    }

    init?(_ description: String) {
      for part in description.split(separator: " ") {
        let numbers = part.split(separator: "×", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let thread = numbers[0], let steps = numbers[1], thread > 0,
          steps > 0, case (let end, false) = self.steps.addingReportingOverflow(steps)
        else { return nil }
        parts.append((thread, end))
      }
      if parts.isEmpty { return nil }
    }

    var description: String {
      zip(parts, [0] + parts.map(\.end)).map { "\($0.thread)×\($0.end - $1)" }
        .joined(separator: " ")
    }

    var steps: Int { parts.last?.end ?? 0 }

    /// Returns the number of the thread that takes a step, or nil if the schedule has fewer steps.
    ///
    /// - Complexity: O(log n) in the number of parts, which an endless schedule has a hundred thousand of.
    func thread(at step: Int) -> Int? {
      var (low, high) = (0, parts.count)
      while low < high {
        let middle = (low + high) / 2
        if parts[middle].end > step { high = middle } else { low = middle + 1 }
      }
      return low < parts.count ? parts[low].thread : nil
    }
  }

  extension ScheduledStep {
    /// The step of `interleavingPoint()`. The caller's state is unknown, so all interleaving points count
    /// as writes to the same memory location.
    static var interleavingPoint: Self { .write(2) }
  }
#endif

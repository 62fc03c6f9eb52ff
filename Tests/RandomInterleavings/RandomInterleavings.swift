#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Foundation

  /// What a handler of signals prints. A handler must not allocate memory, because the memory can be damaged.
  nonisolated(unsafe) private var crashReport: UnsafeMutablePointer<CChar>?

  /// A tool that draws scenarios of the whole framework, runs each in random orders of its threads' steps, and compares
  /// the results with a model of the promises in `Oracle`.
  @main struct RandomInterleavings {
    /// The seconds to explore, the first seed, which the others follow, the number of orders in which each scenario runs,
    /// and the seconds in which a failed scenario is made smaller.
    private var numbers: [String: UInt64] = [
      "--seconds": 45, "--seed": .random(in: 0..<1 << 40), "--schedules": 100, "--patience": 20,
    ]

    /// When to stop exploring, or making a failed scenario smaller.
    private var deadline = ContinuousClock.now

    /// The theme of all scenarios, or nil if each seed draws one.
    private var theme: Theme?

    static func main() {
      var tool = RandomInterleavings()
      if let argument = tool.misunderstood(CommandLine.arguments.dropFirst()) {
        let options = tool.numbers.keys.sorted().joined(separator: ", ")
        let themes = Theme.all.map(\.name).joined(separator: ", ")
        print("\(argument)? Pass \(options) with a number, or --theme with \(themes).")
        exit(2)
      }
      reportSignals()
      exit(tool.explore() ? 0 : 1)
    }

    /// Takes the options of the command line. Returns the first one that it doesn't understand.
    private mutating func misunderstood(_ arguments: ArraySlice<String>) -> String? {
      var arguments = arguments
      while let name = arguments.popFirst() {
        let value = arguments.popFirst() ?? ""
        if numbers[name] != nil, let number = UInt64(value) {
          numbers[name] = number
        } else if name == "--theme", let theme = Theme.all.first(where: { $0.name == value }) {
          self.theme = theme
        } else {
          return "\(name) \(value)"
        }
      }
      return nil
    }

    /// Prints the seed of a scenario that crashes, or doesn't end within five minutes.
    private static func reportSignals() {
      for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGALRM] {
        signal(number) { _ in
          if let crashReport { write(STDOUT_FILENO, crashReport, strlen(crashReport)) }
          _exit(1)
        }
      }
    }

    private func number(_ option: String) -> UInt64 { numbers[option] ?? 0 }

    /// Explores scenarios until the time is over. Returns whether no scenario has failed.
    private mutating func explore() -> Bool {
      deadline = .now + .seconds(Int(number("--seconds")))
      var schedules = 0
      // What is created lazily must not make the first schedule different.
      _ = Plan().explore(schedules: 1, seed: 0)
      var seed = number("--seed")
      while .now < deadline {
        alarm(300)
        free(crashReport)
        crashReport = strdup("seed \(seed): a crash, or no end within five minutes\n")
        let plan = Plan(seed: seed, theme: theme)
        let (failure, count) = plan.explore(schedules: Int(number("--schedules")), seed: seed)
        if let failure {
          print("seed \(seed): \(failure.prefix { $0 != "\n" })")
          fflush(nil)
          deadline = .now + .seconds(Int(number("--patience")))
          let (smallest, text) = smallest(plan, failure, seed)
          print("\(smallest.code(seed: seed))\n\(text)")
          return false
        }
        seed += 1
        schedules += count
      }
      print("\(schedules) schedules of the seeds \(number("--seed"))..<\(seed): no failure")
      return true
    }

    /// Returns the smallest plan that fails in the same way, among those that can be tried in time.
    private func smallest(_ plan: Plan, _ failure: String, _ seed: UInt64) -> (Plan, String) {
      func promise(_ failure: String) -> Substring? {
        failure.firstMatch(of: /fails: the check throws (\w+:|\w+ \w+)/)?.output.1
      }
      for smaller in plan.smaller where .now < deadline {
        alarm(300)
        let new = smaller.explore(schedules: 400, seed: seed).failure
        if let new, promise(new) == promise(failure) { return self.smallest(smaller, new, seed) }
      }
      return (plan, failure)
    }
  }

  extension Plan {
    /// Runs this plan in random orders of its threads' steps. Returns the first failure, and the number of orders.
    func explore(schedules: Int, seed: UInt64) -> (failure: String?, schedules: Int) {
      let exploration = Exploration(random: schedules, seed: seed)
      var (plan, run) = (self, 0)
      plan.number()
      let failure = exploration.run { scenario in
        run += 1
        // Objects that a failed schedule has left may look for their world while they are released.
        let former = world
        world = World(plan, run: run)
        withExtendedLifetime(former) {}
        exploration.historian = world.history
        world.setUp(scenario)
      }
      return (failure, exploration.schedules)
    }
  }
#else
  @main struct RandomInterleavings {
    static func main() { print("Build with -Xswiftc -DDEBUG.") }
  }
#endif

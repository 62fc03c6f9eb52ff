#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Foundation

  /// A tool that draws scenarios of the whole framework, runs each in random orders of its threads' steps, and compares
  /// the results with a model of the promises in `Oracle`.
  @main struct RandomInterleavings {
    nonisolated(unsafe) private static var seed: UInt64 = 0

    static func main() {
      do {
        let options = try Options(CommandLine.arguments.dropFirst())
        reportSignals()
        exit(explore(options) ? 0 : 1)
      } catch {
        print(error)
        exit(2)
      }
    }

    /// Prints the seed of a scenario that crashes, or doesn't end within a minute.
    private static func reportSignals() {
      for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGALRM] {
        signal(number) { number in
          print(
            "seed \(RandomInterleavings.seed): \(number == SIGALRM ? "no end" : "signal \(number)")"
          )
          exit(1)
        }
      }
    }

    /// Explores scenarios until the time is over. Returns whether no scenario has failed.
    private static func explore(_ options: Options) -> Bool {
      let end = ContinuousClock.now + .seconds(options.seconds)
      var (scenarios, schedules) = (0, 0)
      // What is created lazily must not make the first schedule different.
      _ = Plan().explore(schedules: 1, seed: 0)
      seed = options.seed
      while ContinuousClock.now < end {
        alarm(60)
        let plan = Plan(seed: seed, theme: options.theme)
        let (failure, count) = plan.explore(schedules: options.schedules, seed: seed)
        (scenarios, schedules) = (scenarios + 1, schedules + count)
        guard let failure else {
          seed += 1
          continue
        }
        print("seed \(seed): \(failure.prefix { $0 != "\n" })")
        let (smallest, text) = smallest(plan, failure, options.patience)
        print("\(smallest.code(seed: seed))\n\(text)")
        return false
      }
      print(
        "\(schedules) schedules of \(scenarios) scenarios from seed \(options.seed): no failure"
      )
      return true
    }

    /// Returns the smallest plan that fails in the same way, among those that can be tried in a number of seconds.
    private static func smallest(_ plan: Plan, _ failure: String, _ seconds: Int) -> (Plan, String)
    {
      func promise(_ failure: String) -> Substring? {
        failure.firstMatch(of: /fails: the check throws (\w+:|\w+ \w+)/)?.output.1
      }
      let end = ContinuousClock.now + .seconds(seconds)
      var (plan, failure) = (plan, failure)
      func shrink() -> Bool {
        for smaller in plan.smaller where ContinuousClock.now < end {
          alarm(60)
          guard let new = smaller.explore(schedules: 400, seed: seed).failure,
            promise(new) == promise(failure)
          else { continue }
          (plan, failure) = (smaller, new)
          return true
        }
        return false
      }
      while shrink() {}
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
        world = World(plan, run: run)
        exploration.historian = world.history
        world.setUp(scenario)
      }
      return (failure, exploration.schedules)
    }
  }

  private struct Options {
    /// The time to explore.
    var seconds = 45

    /// The first seed. The others follow it.
    var seed = UInt64.random(in: 0..<1 << 40)

    /// The theme of all scenarios, or nil if each seed draws one.
    var theme: Theme?

    /// The number of orders in which each scenario runs.
    var schedules = 100

    /// The number of seconds in which a failed scenario is made smaller.
    var patience = 20

    init(_ arguments: ArraySlice<String>) throws {
      var arguments = arguments
      while let name = arguments.popFirst() {
        let value = arguments.popFirst() ?? ""
        switch (name, UInt64(value), Theme.all.first { $0.name == value }) {
        case ("--seconds", let number?, _): seconds = Int(number)
        case ("--seed", let number?, _): seed = number
        case ("--schedules", let number?, _): schedules = Int(number)
        case ("--patience", let number?, _): patience = Int(number)
        case ("--theme", _, let theme?): self.theme = theme
        default:
          let themes = Theme.all.map(\.name).joined(separator: ", ")
          throw Failure(
            description: """
              RandomInterleavings doesn't understand \(name) \(value). It takes --seconds, --seed, --schedules and \
              --patience with a number, and --theme with \(themes).
              """
          )
        }
      }
    }
  }
#else
  @main struct RandomInterleavings {
    static func main() { print("Build with -Xswiftc -DDEBUG.") }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Foundation

  @main struct RandomInterleavings {
    static func main() {
      let arguments = CommandLine.arguments
      func option(_ name: String, _ usual: Int) -> Int {
        arguments.firstIndex(of: name).flatMap { Int(arguments[$0 + 1]) } ?? usual
      }
      let name = arguments.firstIndex(of: "--theme").map { arguments[$0 + 1] }
      let theme = Theme.all.first { $0.name == name }
      let (first, seconds, schedules) = (option("--seed", 1), option("--seconds", 45), option("--schedules", 100))
      let end = ContinuousClock.now + .seconds(seconds)
      var (seed, count) = (UInt64(first), 0)
      while ContinuousClock.now < end {
        let plan = Plan(seed: seed, theme: theme)
        let (failure, schedulesOfPlan) = explore(plan, schedules, seed)
        count += schedulesOfPlan
        if let failure {
          print("seed \(seed): \(failure.prefix { $0 != "\n" })")
          let (smallest, text) = shrink(plan, failure, seed)
          print(smallest.code)
          print(text)
          exit(1)
        }
        seed += 1
      }
      print("\(count) schedules of \(seed - UInt64(first)) scenarios: no failure")
    }

    static func shrink(_ plan: Plan, _ failure: String, _ seed: UInt64) -> (Plan, String) {
      let end = ContinuousClock.now + .seconds(20)
      var (plan, failure) = (plan, failure)
      var isSmaller = true
      while isSmaller {
        isSmaller = false
        for smaller in plan.smaller where ContinuousClock.now < end {
          if let again = explore(smaller, 400, seed).0 {
            (plan, failure, isSmaller) = (smaller, again, true)
            break
          }
        }
      }
      return (plan, failure)
    }

    static func explore(_ plan: Plan, _ schedules: Int, _ seed: UInt64) -> (String?, Int) {
      let exploration = Exploration(random: schedules, seed: seed)
      var run = 0
      let failure = exploration.run { scenario in
        run += 1
        world = World(plan, run: run)
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

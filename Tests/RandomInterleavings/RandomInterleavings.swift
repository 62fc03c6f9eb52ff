#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Foundation

  /// A tool that draws scenarios of the whole framework, runs each in random orders of its threads' steps, and compares
  /// what they see with a model of the promises in `Oracle`. Each processor runs a process of its own.
  @main struct RandomInterleavings {
    static func main() {
      do {
        let options = try Options(CommandLine.arguments.dropFirst())
        let isClean = try options.report.map { work(options, Report($0)) } ?? supervise(options)
        exit(isClean ? 0 : 1)
      } catch {
        print(error)
        exit(2)
      }
    }

    // MARK: - The first process

    /// Runs the other processes. Returns whether they have found nothing.
    private static func supervise(_ options: Options) throws -> Bool {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let ended = DispatchSemaphore(value: 0)
      let count = ProcessInfo.processInfo.activeProcessorCount
      let workers = try (0..<count).map { number in
        let report = Report(folder.appendingPathComponent("\(number)"))
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = options.arguments(number, of: count, report)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        return (process: process, report: report)
      }
      // A scenario can hang the process, and a failed one is made smaller for a while.
      let end = DispatchTime.now() + .seconds(options.seconds + options.patience + 60)
      var isClean = true
      for _ in workers where isClean {
        let isInTime = ended.wait(timeout: end) == .success
        for (process, report) in workers where process.isRunning != isInTime && isClean {
          let status = process.isRunning ? -1 : process.terminationStatus
          if status != 0 { isClean = false }
          if process.isRunning || process.terminationReason == .uncaughtSignal {
            let seed = report.numbers[0]
            print("seed \(seed): \(process.isRunning ? "no end" : "signal \(status)")")
            print(Plan(seed: seed, theme: options.theme).code(seed: seed))
          }
        }
      }
      for (process, _) in workers where process.isRunning { kill(process.processIdentifier, SIGKILL) }
      let (scenarios, schedules) = workers.reduce((0, 0)) { ($0.0 + $1.report.numbers[1], $0.1 + $1.report.numbers[2]) }
      print("\(schedules) schedules of \(scenarios) scenarios from seed \(options.seed): \(isClean ? "no" : "one") failure")
      return isClean
    }

    // MARK: - The other processes

    /// Explores scenarios until the time is over. Returns whether no scenario has failed.
    private static func work(_ options: Options, _ report: Report) -> Bool {
      let end = ContinuousClock.now + .seconds(options.seconds)
      // What is created lazily must not make the first schedule different.
      _ = Plan().explore(schedules: 1, seed: 0)
      var (seed, scenarios, schedules) = (options.seed, 0 as UInt64, 0 as UInt64)
      while ContinuousClock.now < end {
        report.write([seed, scenarios, schedules])
        let plan = Plan(seed: seed, theme: options.theme)
        let (failure, count) = plan.explore(schedules: options.schedules, seed: seed)
        (scenarios, schedules) = (scenarios + 1, schedules + UInt64(count))
        report.write([seed, scenarios, schedules])
        guard let failure else {
          seed += UInt64(options.stride)
          continue
        }
        print("seed \(seed): \(failure.prefix { $0 != "\n" })")
        let (smallest, text) = smallest(plan, failure, seed, options.patience)
        print("\(smallest.code(seed: seed))\n\(text)")
        return false
      }
      return true
    }

    /// Returns the smallest plan that fails in the same way, among those that can be tried in some seconds.
    private static func smallest(_ plan: Plan, _ failure: String, _ seed: UInt64, _ patience: Int) -> (Plan, String) {
      func promise(_ failure: String) -> String? { failure.firstMatch(of: /fails: the check throws (\w+:|\w+ \w+)/)?.output.1.description }
      let end = ContinuousClock.now + .seconds(patience)
      var (plan, failure) = (plan, failure)
      func next() -> Bool {
        for smaller in plan.smaller where ContinuousClock.now < end {
          guard let new = smaller.explore(schedules: 400, seed: seed).failure, promise(new) == promise(failure) else { continue }
          (plan, failure) = (smaller, new)
          return true
        }
        return false
      }
      while next() {}
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

  /// What the tool is called with.
  private struct Options {
    /// The time to explore.
    var seconds = 45

    /// The first seed. The others follow it.
    var seed = UInt64.random(in: 0..<1 << 40)
    var stride = 1

    /// The theme of all scenarios, or nil if each seed draws one.
    var theme: Theme?

    /// The number of orders in which each scenario runs.
    var schedules = 100

    /// The number of seconds in which a failed scenario is made smaller.
    var patience = 20

    /// The file in which a process tells the first one what it does.
    var report: URL?

    init(_ arguments: ArraySlice<String>) throws {
      var arguments = Array(arguments)
      while !arguments.isEmpty {
        let name = arguments.removeFirst()
        let value = arguments.isEmpty ? "" : arguments.removeFirst()
        switch (name, UInt64(value)) {
        case ("--seconds", let number?): seconds = Int(number)
        case ("--seed", let number?): seed = number
        case ("--stride", let number?): stride = Int(number)
        case ("--schedules", let number?): schedules = Int(number)
        case ("--patience", let number?): patience = Int(number)
        case ("--report", _): report = URL(fileURLWithPath: value)
        case ("--theme", _) where Theme.all.contains { $0.name == value }:
          theme = Theme.all.first { $0.name == value }
        default:
          throw Failure(
            description: """
              RandomInterleavings doesn't understand \(name) \(value). It takes --seconds, --seed, --schedules, --patience, and --theme \
              with one of \(Theme.all.map(\.name).joined(separator: ", ")).
              """
          )
        }
      }
    }

    /// The arguments of one of several processes.
    func arguments(_ number: Int, of count: Int, _ report: Report) -> [String] {
      [
        "--seconds", "\(seconds)", "--seed", "\(seed + UInt64(number))", "--stride", "\(count)", "--schedules",
        "\(schedules)", "--patience", "\(patience)", "--report", report.file.path,
      ] + (theme.map { ["--theme", $0.name] } ?? [])
    }
  }

  /// What a process has done, in a file, so that nothing is lost when the process crashes.
  private final class Report {
    let file: URL

    init(_ file: URL) { self.file = file }

    func write(_ numbers: [UInt64]) {
      try? Data(numbers.map { "\($0)" }.joined(separator: " ").utf8).write(to: file)
    }

    /// The seed of the last scenario, and the numbers of scenarios and schedules until then.
    var numbers: [UInt64] {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let numbers = text.split(separator: " ").compactMap { UInt64($0) }
      return numbers.count == 3 ? numbers : [0, 0, 0]
    }
  }
#else
  @main struct RandomInterleavings {
    static func main() { print("Build with -Xswiftc -DDEBUG.") }
  }
#endif

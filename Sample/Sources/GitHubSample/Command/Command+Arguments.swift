extension Command {
  /// The owner whose repositories the demo lists.
  private static let demoLogin = "octocat"

  /// Reads the arguments that follow the program's name.
  package init(arguments: some Sequence<String>) throws(UsageError) {
    var login: String?
    var limit: Int?? = .none
    var isDemo = false
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "-h", "--help":
        self = .help
        return
      case "--demo":
        isDemo = true
      case "--all":
        limit = .some(nil)
      case "-L", "--limit":
        limit = try Command.limit(from: iterator.next(), of: argument)
      case _ where argument.hasPrefix("-"):
        throw UsageError(
          message: """
            unknown option \(argument); the options are -L/--limit N, --all, --demo and -h/--help
            """
        )
      case _ where login != nil:
        throw UsageError(message: "one LOGIN at a time, not \(argument) too")
      case "":
        throw UsageError(message: "LOGIN is empty")
      default:
        login = argument
      }
    }
    guard let login = login ?? (isDemo ? Command.demoLogin : nil) else {
      throw UsageError(message: "whose repositories? Give a LOGIN, or try --demo")
    }
    var options = ListOptions(login: login, isDemo: isDemo)
    if let limit { options.limit = limit }
    self = .listRepositories(options)
  }

  private static func limit(from value: String?, of option: String) throws(UsageError) -> Int {
    guard let value else { throw UsageError(message: "\(option) needs a number") }
    guard let limit = Int(value), limit > 0 else {
      throw UsageError(message: "\(option) needs a number above 0, not \(value)")
    }
    return limit
  }
}

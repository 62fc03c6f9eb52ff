import Foundation

extension Command {
  /// Parses the arguments that follow the program's name.
  ///
  /// - Parameter redacted: A closure that returns a text without tokens. Only the value of `--token`
  ///   stays as it is.
  package init(
    arguments: some Sequence<String>,
    redacted: (String) -> String = { $0 }
  ) throws(UsageError) {
    let topic = Topic(of: arguments)
    let words = topic == .list ? Array(arguments) : Array(arguments.dropFirst())
    let arguments = try ParsedArguments(words, options: topic.options).redacted(redacted)
    if arguments.has("help") {
      self = .help(topic)
    } else if arguments.has("version") {
      self = .version
    } else {
      switch topic {
      case .list: self = .list(try ListOptions(arguments))
      case .search: self = .search(try SearchOptions(arguments))
      case .show: self = .show(try ShowOptions(arguments))
      }
    }
  }
}

extension Command {
  /// Returns the values of `--token`, even if other arguments are wrong.
  static func tokens(in arguments: [String]) -> [String] {
    let next = zip(arguments, arguments.dropFirst()).filter { $0.0 == "--token" }.map(\.1)
    return next + arguments.filter { $0.hasPrefix("--token=") }.map { String($0.dropFirst(8)) }
  }
}

extension ListOptions {
  fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
    common = try CommonOptions(arguments, fields: RepositoryFormat.fields.map(\.name))
    limit = try arguments.limit()
    isCached = try arguments.isCached()
    query.login = try arguments.onePositional(named: "LOGIN") ?? ""
    query.order = try arguments.choice("sort") ?? .stars
    query.direction = try arguments.choice("order")
    query.visibility = try arguments.choice("visibility", named: { $0.rawValue.lowercased() })
    query.isFork = try arguments.either("fork", or: "source")
    query.isArchived = try arguments.either("archived", or: "no-archived")
    query.language = try arguments.nonEmptyValue(of: "language")
    if common.connection.isDemo, query.login.isEmpty { query.login = RecordedApiSession.demoLogin }
  }
}

extension SearchOptions {
  fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
    common = try CommonOptions(arguments, fields: UserFormat.fields.map(\.name))
    limit = try arguments.limit()
    text = arguments.positionals.joined(separator: " ").trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty else { throw UsageError("search needs a QUERY") }
  }
}

extension ShowOptions {
  fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
    common = try CommonOptions(arguments, fields: RepositoryFormat.fields.map(\.name))
    let whole = try arguments.onePositional(named: "OWNER/NAME") ?? ""
    let parts = whole.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts.contains("") else {
      throw UsageError("show needs an OWNER/NAME\(whole.isEmpty ? "" : ", not '\(whole)'")")
    }
    owner = String(parts[0])
    name = String(parts[1])
  }
}

extension CommonOptions {
  fileprivate init(_ arguments: ParsedArguments, fields: [String]) throws(UsageError) {
    connection.hostname = try arguments.nonEmptyValue(of: "hostname")
    connection.isDemo = arguments.has("demo")
    if arguments.has("timeout") {
      let text = arguments.value(of: "timeout") ?? ""
      guard let seconds = Double(text), (0.001...86_400).contains(seconds) else {
        throw UsageError("--timeout needs SECONDS from 0.001 to 86400, not '\(text)'")
      }
      connection.timeout = .seconds(seconds)
    }
    if arguments.has("token") {
      guard let token = AccessToken(arguments.value(of: "token") ?? "") else {
        throw UsageError("the value of --token is empty or contains an invalid character")
      }
      connection.token = token
    }
    readsToken = arguments.has("token-stdin")
    if readsToken, connection.token != nil {
      throw UsageError("--token and --token-stdin cannot be used together")
    }
    color = try arguments.choice("color") ?? .auto
    jsonFields = try arguments.jsonFields(among: fields)
    logPath = try arguments.nonEmptyValue(of: "log")
    explorerPath = try arguments.nonEmptyValue(of: "explore")
    let files = [logPath, explorerPath].compactMap(\.self).map {
      URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL
    }
    if files.count == 2, files[0] == files[1] {
      throw UsageError("--log and --explore name the same file")
    }
    exploresLive = arguments.has("explore-live")
    if exploresLive, explorerPath != nil {
      throw UsageError("--explore and --explore-live cannot be used together")
    }
  }
}

// MARK: - Values

extension ParsedArguments {
  fileprivate func onePositional(named name: String) throws(UsageError) -> String? {
    if positionals.count > 1 {
      // The argument can be a token.
      throw UsageError("unexpected argument after \(name)")
    }
    if positionals.first == "" { throw UsageError("\(name) is empty") }
    return positionals.first
  }

  fileprivate func nonEmptyValue(of option: String) throws(UsageError) -> String? {
    let value = value(of: option)
    if value == "" { throw UsageError("the value of --\(option) is empty") }
    return value
  }

  fileprivate func limit() throws(UsageError) -> Int? {
    guard has("limit") else { return has("all") || has("cached") ? nil : 30 }
    if has("all") { throw UsageError("--limit and --all cannot be used together") }
    let text = value(of: "limit") ?? ""
    guard let limit = Int32(text), limit > 0 else {
      throw UsageError("--limit needs a number from 1 to \(Int32.max), not '\(text)'")
    }
    return Int(limit)
  }

  /// Returns whether the option `--cached` is given. Throws if another option requests a list that
  /// might differ from the last list.
  fileprivate func isCached() throws(UsageError) -> Bool {
    guard has("cached") else { return false }
    let usable = ["cached", "limit", "all", "json", "color"]
    let names = Command.Topic.list.options.map(\.long)
    if let other = names.first(where: { has($0) && !usable.contains($0) }) {
      throw UsageError("--cached and --\(other) cannot be used together")
    }
    return true
  }

  /// Returns true if the first option is given, false if the second option is given, and nil if
  /// neither option is given. Throws for both.
  fileprivate func either(_ yes: String, or no: String) throws(UsageError) -> Bool? {
    if has(yes), has(no) { throw UsageError("--\(yes) and --\(no) cannot be used together") }
    return has(yes) ? true : has(no) ? false : nil
  }

  fileprivate func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ option: String,
    named name: (Choice) -> String = { $0.rawValue }
  ) throws(UsageError) -> Choice? {
    guard let text = value(of: option) else { return nil }
    guard let choice = Choice.allCases.first(where: { name($0) == text }) else {
      let names = Choice.allCases.map(name).joined(separator: ", ")
      throw UsageError("--\(option) must be one of \(names), not '\(text)'")
    }
    return choice
  }

  fileprivate func jsonFields(among known: [String]) throws(UsageError) -> [String]? {
    guard has("json") else { return nil }
    guard let list = value(of: "json") else { return known }
    let fields = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if let unknown = fields.first(where: { !known.contains($0) }) ?? (fields.isEmpty ? list : nil) {
      let names = known.joined(separator: ", ")
      throw UsageError("--json has no field '\(unknown)'; the fields are \(names)")
    }
    return fields
  }
}

/// The arguments of a command line, split into options and positional arguments.
struct ParsedArguments {
  private(set) var positionals: [String] = []

  /// The values of the given options. The keys are the options' long names. If an option is
  /// repeated, the last value counts.
  private(set) var values: [String: String?] = [:]

  /// Parses `-L 5`, `-L5`, `--limit 5` and `--limit=5`. The argument `--` ends the options.
  init(_ arguments: some Sequence<String>, options: [CommandOption]) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        positionals += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        positionals.append(argument)
        continue
      }
      let (name, inline) = ParsedArguments.split(argument)
      guard let option = options.first(where: { $0.isNamed(name) }) else {
        // What follows the name of an option can be a token.
        let known = options.last { name.hasPrefix("--\($0.long)") }.map { "--\($0.long)…" }
        throw UsageError(
          "unknown option \(known ?? name); the options are "
            + options.map { "--\($0.long)" }.joined(separator: ", ")
        )
      }
      values[option.long] = try ParsedArguments.value(of: option, inline: inline, rest: &rest)
    }
  }

  /// Splits an argument such as "--limit=5" or "-L5" into the option and the option's value.
  private static func split(_ argument: String) -> (name: String, inline: String?) {
    if argument.hasPrefix("--") {
      guard let sign = argument.firstIndex(of: "=") else { return (argument, nil) }
      return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }
    let inline = argument.dropFirst(2)
    let value = inline.first == "=" ? inline.dropFirst() : inline
    return (String(argument.prefix(2)), inline.isEmpty ? nil : String(value))
  }

  private static func value(
    of option: CommandOption,
    inline: String?,
    rest: inout ArraySlice<String>
  ) throws(UsageError) -> String? {
    guard let value = option.value else {
      if inline != nil { throw UsageError("--\(option.long) takes no value") }
      return nil
    }
    if let inline { return inline }
    if option.isValueOptional, rest.first?.hasPrefix("-") ?? true { return nil }
    guard let next = rest.popFirst() else { throw UsageError("--\(option.long) needs \(value)") }
    return next
  }

  /// Returns the arguments without tokens, except for the value of `--token`.
  func redacted(_ redacted: (String) -> String) -> ParsedArguments {
    var result = self
    result.positionals = positionals.map(redacted)
    for (name, value) in values where name != "token" {
      result.values[name] = .some(value.map(redacted))
    }
    return result
  }

  func has(_ option: String) -> Bool {
    values[option] != nil
  }

  func value(of option: String) -> String? {
    values[option] ?? nil
  }
}

extension CommandOption {
  fileprivate func isNamed(_ name: String) -> Bool {
    name == "--\(long)" || short.map { name == "-\($0)" } ?? false
  }
}

/// The message that explains why a command line can't be parsed.
package struct UsageError: Error, Equatable {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}

extension OutputFormat {
  /// Creates the output format that the options request. By default, the format depends on the
  /// terminal.
  init(_ options: CommonOptions, terminal: Terminal) {
    if let fields = options.jsonFields {
      self = .json(fields: fields, isPretty: terminal.isOutputTerminal)
    } else {
      let hasColors =
        switch options.color {
        case .auto: terminal.hasColors
        case .always: true
        case .never: false
        }
      self =
        terminal.width.map { .table(width: $0, hasColors: hasColors) }
        ?? .lines(hasColors: hasColors)
    }
  }
}

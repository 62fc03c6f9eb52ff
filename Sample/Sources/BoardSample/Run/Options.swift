import Foundation

/// The arguments of the command line.
package struct Options {
  package var showsHelp = false

  /// The folder in which the board is saved.
  package var folder = FileManager.default
    .urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    .appendingPathComponent("FluxCapacitorBoard")

  package static let usage = """
    board [--file FOLDER] [--help]

    A to-do board in the terminal. Type commands, one in each line:

    \(Command.helpText)

    --file FOLDER       saves the board in FOLDER
    """

  package init(_ arguments: some Collection<String>) throws(Mistake) {
    var arguments = arguments[...]
    while let argument = arguments.popFirst() {
      switch argument {
      case "--help", "-h": showsHelp = true
      case "--file":
        guard let path = arguments.popFirst(), !path.isEmpty else {
          throw Mistake(text: "Type a folder after --file, as in: board --file ~/board")
        }
        folder = URL(fileURLWithPath: path)
      default:
        throw Mistake(text: "“\(argument)” isn't an option. Type board --help to see the options.")
      }
    }
  }
}

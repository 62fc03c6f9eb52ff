import FluxCapacitor

/// A line that the user has typed.
package enum Command: Equatable {
  case edit(Dispatcher.Cards)
  case find(String)
  case sync
  case list
  case help
  case quit

  /// Parses a line. An empty line lists the cards.
  package init(_ line: String) throws(Mistake) {
    var words = line.split(whereSeparator: \.isWhitespace).map(String.init)[...]
    let name = words.popFirst() ?? "list"
    switch name {
    case "add": self = .edit(.add(title: try words.title(after: "add")))
    case "done": self = .edit(.setDone(try words.popNumber(after: name), true))
    case "reopen": self = .edit(.setDone(try words.popNumber(after: name), false))
    case "rename":
      let id = try words.popNumber(after: name)
      self = .edit(.rename(id, to: try words.title(after: "rename \(id)")))
    case "remove": self = .edit(.remove(try words.popNumber(after: name)))
    case "undo": self = .edit(.undo)
    case "redo": self = .edit(.redo)
    case "find": self = .find(words.joined(separator: " "))
    case "sync": self = .sync
    case "list": self = .list
    case "help": self = .help
    case "quit": self = .quit
    default: throw Mistake(text: "“\(name)” isn't a command. Type help to see the commands.")
    }
  }

  static let helpText = """
    add TITLE           adds a card
    done 2              marks card 2 as done
    reopen 2            marks card 2 as not done
    rename 2 TITLE      changes the title of card 2
    remove 2            removes card 2
    undo, redo          reverts the last edit, or repeats it
    find TEXT           shows only the cards that contain the text
    find                shows all cards
    sync                sends the edits to the server
    list                shows the cards again
    quit                saves and quits
    """
}

/// A sentence that tells the user how to correct a line or an argument.
package struct Mistake: Error, Equatable {
  package let text: String

  init(text: String) { self.text = text.harmless }
}

extension ArraySlice<String> {
  fileprivate mutating func popNumber(after name: String) throws(Mistake) -> Int {
    guard let number = popFirst().flatMap({ Int($0) }) else {
      throw Mistake(text: "Type the number of a card, as in: \(name) 2")
    }
    return number
  }

  fileprivate func title(after command: String) throws(Mistake) -> String {
    guard !isEmpty else { throw Mistake(text: "Type a title, as in: \(command) Buy milk") }
    return joined(separator: " ")
  }
}

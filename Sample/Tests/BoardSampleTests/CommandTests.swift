import BoardSample
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct CommandTests {
  @Test(arguments: [
    ("add Buy milk", Command.edit(.add(title: "Buy milk"))),
    ("  add   Buy \t milk ", .edit(.add(title: "Buy milk"))),
    ("done 2", .edit(.setDone(2, true))),
    ("reopen 2", .edit(.setDone(2, false))),
    ("rename 2 Buy oat milk", .edit(.rename(2, to: "Buy oat milk"))),
    ("remove 2", .edit(.remove(2))),
    ("undo", .edit(.undo)),
    ("redo", .edit(.redo)),
    ("find oat milk", .find("oat milk")),
    ("find", .find("")),
    ("sync", .sync),
    ("list", .list),
    ("", .list),
    ("help", .help),
    ("quit", .quit),
  ])
  func lineIsParsed(line: String, command: Command) throws {
    #expect(try Command(line) == command)
  }

  @Test(arguments: [
    ("ad Buy milk", "“ad” isn't a command. Type help to see the commands."),
    ("add", "Type a title, as in: add Buy milk"),
    ("rename 2", "Type a title, as in: rename 2 Buy milk"),
    ("rename", "Type the number of a card, as in: rename 2"),
    ("done two", "Type the number of a card, as in: done 2"),
  ])
  func mistakeTellsTheUserHowToCorrectTheLine(line: String, text: String) {
    let mistake = #expect(throws: Mistake.self) { try Command(line) }
    #expect(mistake?.text == text)
  }

  @Test func optionsChooseTheFolder() throws {
    #expect(try Options(["--file", "/tmp/board"]).folder.path == "/tmp/board")
    #expect(try Options([]).folder.lastPathComponent == "FluxCapacitorBoard")
    #expect(throws: Mistake.self) { try Options(["--file"]) }
  }
}

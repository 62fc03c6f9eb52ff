import BoardSample
import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation

/// A board in a folder of its own, and the text that a terminal would show.
final class Conversation: Sendable {
  let board: Board
  private let text: Variable<[String]>

  init(
    in folder: TemporaryFolder,
    server: any Server = MockServer(),
    clock: any Clock<Duration> = ManualClock()
  ) throws {
    let text = Variable<[String]>([])
    self.text = text
    board = try Board(folder: folder.url, server: server, clock: clock) { text.value.append($0) }
  }

  /// Types lines. In the text, a typed line follows a `>`.
  func type(_ lines: String...) async {
    for line in lines {
      text.value.append("> \(line)")
      _ = await board.answer(line)
    }
  }

  /// Returns the text since the last call of this method.
  func newText() -> String {
    text.modify { text in
      defer { text = [] }
      return text.joined(separator: "\n")
    }
  }
}

struct MockServer: Server {
  var answer: @Sendable (Edit) async -> ServerError? = { _ in nil }

  func send(_ edit: Edit) async throws(ServerError) {
    if let error = await answer(edit) { throw error }
  }

  /// A server that accepts each edit after the gate has been opened.
  static func waiting(at gate: Gate) -> MockServer {
    MockServer { _ in
      await gate.pass()
      return nil
    }
  }
}

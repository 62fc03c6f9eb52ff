/// The server that keeps a copy of the board.
package protocol Server: Sendable {
  func send(_ edit: Edit) async throws(ServerError)
}

package enum ServerError: Error, Equatable {
  /// The server doesn't accept the edit.
  case refused(reason: String)

  /// The edit hasn't reached the server.
  case unreachable
}

/// A stand-in for a real server. It takes a second for each edit, and refuses long titles.
package struct SlowServer: Server {
  let clock: any Clock<Duration>

  package init(clock: any Clock<Duration> = ContinuousClock()) {
    self.clock = clock
  }

  package func send(_ edit: Edit) async throws(ServerError) {
    do { try await clock.sleep(for: .seconds(1)) } catch { throw .unreachable }
    if let card = edit.new, card.title.count > 30 {
      throw .refused(reason: "A title has at most 30 characters.")
    }
  }
}

import FluxCapacitor
import Foundation

/// Chooses the server's reaction to each HTTP request.
struct LiveHandler: Sendable {
  let circuits: TimeCircuits
  let title: String
  let port: UInt16
  let secret: LiveSecret

  /// Returns the reaction to a request. The handler refuses a request that comes from another site, or that
  /// doesn't contain the secret.
  func reaction(to request: HTTPRequest) -> LiveServer.Reaction {
    let names = ["127.0.0.1", "localhost"]
    // In the `Host` header, a browser omits the default port, which is 80.
    let hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    // The guard refuses a request from another site, or with another name for this machine.
    guard request.values(of: "host").count == 1,
      request.values(of: "host").allSatisfy(hosts.contains),
      request.values(of: "origin").allSatisfy(hosts.map { "http://\($0)" }.contains)
    else { return .answer(.forbidden) }
    let parts = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, secret.matches(parts[0]) else { return .answer(.notFound) }
    switch (String(parts[1]), request.method) {
    case ("", "GET"): return .answer(page(FlowExplorer.data(Data("null".utf8))))
    case ("events", "GET"): return .stream(LiveFeed(circuits, title: title).next)
    case ("flow", "GET"): return .answerAfter { flow }
    case ("page", "GET"):
      return .answerAfter {
        page(Data(FlowExplorer(circuits, title: title).html.utf8), savedAs: "flow.html")
      }
    case ("travel", "POST"):
      guard let sequence = Int(request.body) else { return .answer(.malformed) }
      return .answerAfter { moved { circuits.travel { $0.position(after: sequence) } } }
    case ("undo", "POST"): return .answerAfter { moved { circuits.undo() } }
    case ("redo", "POST"): return .answerAfter { moved { circuits.redo() } }
    case ("now", "POST"): return .answerAfter { moved { circuits.travel(to: .max) } }
    case ("", _), ("events", _), ("flow", _), ("page", _), ("travel", _), ("undo", _), ("redo", _),
      ("now", _):
      return .answer(.wrongMethod)
    default: return .answer(.notFound)
    }
  }

  /// Undoes or redoes dispatches, and responds with the sequence number of the last dispatch that is not
  /// undone.
  private func moved<Result>(_ move: () -> Result) -> HTTPResponse {
    _ = move()
    let position = circuits.history.update(since: .max, atMost: 0).position
    return HTTPResponse(status: "200 OK", body: Data("\(position)".utf8))
  }

  /// A response with the flow as a file, or with the reason why the flow can't be written.
  private var flow: HTTPResponse {
    do {
      let data = try RecordedFlow(circuits.events).data()
      return HTTPResponse(
        status: "200 OK",
        type: "application/jsonl",
        body: data,
        fileName: "flow.jsonl"
      )
    } catch {
      return HTTPResponse(status: "422 Unprocessable Content", body: Data("\(error)".utf8))
    }
  }

  private func page(_ html: Data, savedAs name: String? = nil) -> HTTPResponse {
    HTTPResponse(status: "200 OK", type: "text/html; charset=utf-8", body: html, fileName: name)
  }
}

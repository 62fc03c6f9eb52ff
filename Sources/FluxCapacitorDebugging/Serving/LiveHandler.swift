import FluxCapacitor
import Foundation

/// Decides what is answered to whom.
struct LiveHandler: Sendable {
  let circuits: TimeCircuits
  let title: String
  let port: UInt16
  let secret: LiveSecret

  /// What to do about a request: nothing but a refusal, unless it comes from a page of this explorer, or
  /// from whoever was told the address.
  func reaction(to request: HTTPRequest) -> LiveServer.Reaction {
    let names = ["127.0.0.1", "localhost"]
    // Browsers leave out the port of all the web.
    let hosts = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
    // The name by which another site reaches this machine is not one of them, nor is another site's page.
    guard request.values(of: "host").count == 1,
      request.values(of: "host").allSatisfy(hosts.contains),
      request.values(of: "origin").allSatisfy(hosts.map { "http://\($0)" }.contains)
    else { return .answer(.forbidden) }
    let parts = request.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, secret.matches(parts[0]) else { return .answer(.notFound) }
    switch (String(parts[1]), request.method) {
    case ("", "GET"): return .answer(HTTPResponse(html: FlowExplorer.data(Data("null".utf8))))
    case ("events", "GET"): return .stream(LiveFeed(circuits, title: title).next)
    case ("flow", "GET"): return .answerAfter { flow }
    case ("page", "GET"): return .answerAfter { page }
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

  /// Moves, and answers where the process is then: the sequence number of the last dispatch of the past.
  private func moved<Result>(_ move: () -> Result) -> HTTPResponse {
    _ = move()
    let position = circuits.history.update(since: .max, atMost: 0).position
    return HTTPResponse(status: "200 OK", body: Data("\(position)".utf8))
  }

  /// The flow as a file, or why it can't be one.
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

  private var page: HTTPResponse {
    var response = HTTPResponse(html: Data(FlowExplorer(circuits, title: title).html.utf8))
    response.fileName = "flow.html"
    return response
  }
}

extension HTTPResponse {
  fileprivate init(html: Data) {
    self.init(status: "200 OK", type: "text/html; charset=utf-8", body: html)
  }
}

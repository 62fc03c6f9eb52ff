import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct LiveExplorerTests {
  private let store = TallyStore.instantiate()
  private let circuits = TimeCircuits()
  private let explorer: LiveExplorer

  init() throws { explorer = try LiveExplorer(circuits, title: "Tally") }

  // MARK: Access

  @Test func liveExplorerServesThePageAtItsSecretAddress() throws {
    let (status, body) = try explorer.ask("GET")

    #expect(status == "200 OK")
    #expect(body.hasPrefix("<!doctype html>"))
    #expect(explorer.url.host == "127.0.0.1")
    #expect(explorer.url.path.count == 33)
    #expect(try LiveExplorer(circuits).url.path != explorer.url.path)
  }

  @Test(arguments: [
    "Host: example.com", "Host: 127.0.0.1:1", "Host: 127.0.0.1", "Host:", "Host: [::1]",
    "Origin: https://example.com", "Origin: null", "Origin: http://127.0.0.1:1",
  ])
  func liveExplorerRefusesARequestFromAnotherSite(header: String) throws {
    Invoker<Tally>().invoke(.add(1))
    for (method, path) in [("GET", ""), ("GET", "events"), ("GET", "flow"), ("POST", "undo")] {
      #expect(try explorer.ask(method, path, headers: [header]) == ("403 Forbidden", ""))
    }
    #expect(store.sum.value == 1)
  }

  @Test func liveExplorerAcceptsARequestFromItsOwnPage() throws {
    Invoker<Tally>().invoke(.add(1))
    let port = try #require(explorer.url.port)

    for host in ["127.0.0.1:\(port)", "localhost:\(port)"] {
      let headers = ["Host: \(host)", "Origin: http://\(host)"]
      #expect(try explorer.ask("POST", "undo", headers: headers).status == "200 OK")
    }
    #expect(store.sum.value == 0)
  }

  @Test func liveExplorerAnswersNotFoundToARequestForAnUnknownPath() throws {
    let secret = explorer.url.path
    let others = [
      "/", "//", "/events", "/favicon.ico", "/\(String(repeating: "0", count: 32))/", "\(secret)0/",
      "\(secret.dropLast())/", secret, "\(secret)/other", "\(secret)/events/", "/..\(secret)/",
    ]
    for path in others {
      for method in ["GET", "POST"] {
        #expect(try Client.ask(explorer.url, method, path) == ("404 Not Found", ""))
      }
    }
  }

  @Test func liveExplorerRefusesARequestWithTheWrongMethod() throws {
    Invoker<Tally>().invoke(.add(1))
    let requests = ["undo", "redo", "now", "travel"].map { ("GET", $0) } + [("POST", "")]
    for (method, path) in requests {
      #expect(try explorer.ask(method, path) == ("405 Method Not Allowed", ""))
    }
    #expect(store.sum.value == 1)
  }

  // MARK: Invalid requests and slow clients

  @Test(arguments: [
    "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1e9\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET / HTTP/1.1\r\nx\r\n\r\n",
    "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/1.9\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "GET / HTTP/1.1\r\nOrigin : http://a\r\n\r\n",
    "GET / HTTP/1.1\r\nOrigin: a\r\n b\r\n\r\n",
  ])
  func liveExplorerAnswersBadRequestToAnInvalidRequest(text: String) throws {
    let client = try Client(explorer.url)
    client.send(text.utf8)

    #expect(client.receive().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(try explorer.ask("GET").status == "200 OK")
  }

  @Test func slowClientsDoNotBlockOtherClientsOfALiveExplorer() throws {
    // A client sends nothing, sends a part of a request, sends too many bytes, or disconnects.
    var clients: [Client] = []
    for number in 0..<1_000 {
      let client = try Client(explorer.url)
      switch number % 4 {
      case 0: break
      case 1: client.send("GET \(explorer.url.path)/ HT".utf8)
      case 2: client.send(String(repeating: "x", count: 20_000).utf8)
      default: continue
      }
      clients.append(client)
      if clients.count > 200 { clients.removeFirst() }
      if number.isMultiple(of: 100) { #expect(try explorer.ask("GET").status == "200 OK") }
    }

    #expect(try explorer.ask("GET").status == "200 OK")
  }

  /// Another program on this machine can connect without knowing the secret.
  @Test(arguments: ["", "GET / HT", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
  func clientWithoutTheSecretLosesItsConnection(text: String) throws {
    let explorer = try LiveExplorer(circuits, title: "Tally", port: 0, patience: .zero)
    let client = try Client(explorer.url)
    client.send(text.utf8)

    // Sending fails after the explorer has closed the connection.
    while client.send([0]) {}
  }

  @Test func clientWithTheSecretKeepsItsConnection() throws {
    let explorer = try LiveExplorer(circuits, title: "Tally", port: 0, patience: .milliseconds(200))
    let (client, _) = try explorer.watch()
    let stranger = try Client(explorer.url)
    #expect(stranger.receive() == "")

    Invoker<Tally>().invoke(.add(1))
    #expect(client.receive(until: "\n\n").contains(#""position":1"#))
  }

  @Test func liveExplorerAnswersAClientThatHasClosedItsOutput() throws {
    Invoker<Tally>().invoke(.add(1))
    let client = try Client(explorer.url)
    client.send(explorer.request(for: "flow").utf8)
    client.endOutput()

    #expect(client.receive().contains(#"{"add":{"_0":1}}"#))
  }

  @Test func liveExplorerAcceptsARequestThatArrivesByteByByte() throws {
    let client = try Client(explorer.url)
    for byte in explorer.request(for: "").utf8 { client.send([byte]) }

    #expect(client.receive().hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  // MARK: Events

  @Test func eventStreamSendsPastDispatchesFirstAndThenEachNewDispatch() throws {
    Invoker<Tally>().invoke(.add(1))
    let (client, past) = try explorer.watch()
    Invoker<Tally>().invoke(.add(2))
    let next = client.receive(until: "\n\n")

    #expect(past.contains(#""title":"Tally""#))
    #expect(past.contains(#""state":["f","Tally.add",0,"","n1"]"#))
    #expect(past.contains(/"changes":\[{"new":"n1","number":\d,"old":"n0"}\]/))
    #expect(!next.contains(#""state":["f","Tally.add",0,"","n1"]"#))
    #expect(next.contains(#""after":1"#))
    #expect(next.contains(#""state":["f","Tally.add",0,"","n2"]"#))
  }

  /// The stream pauses for 40 ms after each event, so that a slow page receives changes together.
  @Test func eventStreamPausesBetweenEvents() throws {
    let (client, _) = try explorer.watch()
    let start = ContinuousClock.now
    for number in 1...6 {
      Invoker<Tally>().invoke(.add(number))
      #expect(client.receive(until: "\n\n").contains(#""position":\#(number)"#))
    }

    // A busy machine takes longer.
    #expect(.now - start >= .milliseconds(5 * 40))
  }

  @Test func eventStreamSendsANewDispatchInPlaceOfUndoneDispatches() throws {
    for number in 1...3 { Invoker<Tally>().invoke(.add(number)) }
    let (client, _) = try explorer.watch()
    circuits.travel(to: 1)
    #expect(client.receive(until: "\n\n").contains(#""position":1"#))
    Invoker<Tally>().invoke(.add(4))
    let next = client.receive(until: "\n\n")

    #expect(next.contains(#""after":1"#))
    #expect(next.contains(#""position":4"#))
  }

  @Test func responsesOfALiveExplorerContainNoSecrets() throws {
    Invoker<Tally>().invoke(.signIn(Password(text: "swordfish")))
    let (_, events) = try explorer.watch()
    let flow = try explorer.ask("GET", "flow")
    let page = try explorer.ask("GET", "page")

    #expect(events.contains("•••"))
    for text in [events, flow.body, page.body] { #expect(!text.contains("swordfish")) }
    #expect(flow.status == "422 Unprocessable Content")
    #expect(flow.body.contains("contains a secret"))
  }

  @Test func flowSavedByALiveExplorerReplaysToTheSameValues() throws {
    for number in 1...10 { Invoker<Tally>().invoke(.add(number)) }
    let flow = try explorer.ask("GET", "flow")

    withDispatcher(Dispatcher()) {
      let store = TallyStore.instantiate()
      RecordedFlow(data: Data(flow.body.utf8), types: [Tally.self]).replay()
      #expect(store.sum.value == 55)
    }
  }

  // MARK: Traveling

  @Test func postRequestsToALiveExplorerMoveTheStoreThroughItsHistory() throws {
    let sums = ValueRecorder(store.sum)
    for number in 1...3 { Invoker<Tally>().invoke(.add(number)) }
    func post(_ path: String, _ body: String = "") throws -> String {
      let answer = try explorer.ask("POST", path, body: body)
      return "\(answer.status) \(answer.body)"
    }

    #expect(try post("travel", "1") == "200 OK 1")
    #expect(try post("redo") == "200 OK 2")
    #expect(try post("undo") == "200 OK 1")
    #expect(try post("travel", "0") == "200 OK 0")
    #expect(try post("now") == "200 OK 3")
    #expect(try post("travel", "x") == "400 Bad Request ")
    #expect(sums.values == [0, 1, 3, 6, 1, 3, 1, 0, 6])
  }

  @Test func undoKeepsTheHistoryIfAnObserverOnAQueueInvokesAState() throws {
    let queue = DispatchQueue(label: "observer")
    let shelf = ShelfStore.instantiate()
    let dust = store.sum.observe(on: .queue(queue), ignoreFirst: true) { say("\($0)") }
    for _ in 1...5 { Invoker<Tally>().invoke(.add(1)) }
    queue.sync {}

    for position in (0..<10).reversed() {
      #expect(try explorer.ask("POST", "undo").body == "\(position)")
      queue.sync {}
    }
    #expect(circuits.events.count == 10)
    for _ in 1...10 {
      _ = try explorer.ask("POST", "redo")
      queue.sync {}
    }

    #expect(circuits.position == 10)
    #expect(store.sum.value == 5)
    #expect(shelf.note.value == "5")
    dust.clean()
  }

  // MARK: End of an explorer

  @Test func stoppedLiveExplorerClosesItsConnectionsAndItsPort() throws {
    let (client, _) = try explorer.watch()
    explorer.stop()
    explorer.stop()

    #expect(client.receive() == "")
    #expect(throws: POSIXError.self) { try Client(explorer.url) }
    Invoker<Tally>().invoke(.add(1))
    #expect(circuits.events.count == 1)
  }

  @Test func freedLiveExplorerClosesItsPort() throws {
    var freed: LiveExplorer? = try LiveExplorer(circuits)
    let url = try #require(freed?.url)
    freed = nil

    #expect(throws: POSIXError.self) { try Client(url) }
  }

  @Test func liveExplorerStopsWhenAnObserverCallsStopDuringTravel() throws {
    Invoker<Tally>().invoke(.add(1))
    let dust = store.sum.observe(ignoreFirst: true) { [explorer] _ in explorer.stop() }
    _ = try? explorer.ask("POST", "undo")
    dust.clean()

    #expect(throws: POSIXError.self) { try Client(explorer.url) }
  }

  /// While no explorer runs, another program can take the port, and an open page sends its secret there.
  @Test func liveExplorerOnAChosenPortHasANewSecretAfterARestart() throws {
    let port = UInt16(try #require(explorer.url.port))
    explorer.stop()
    let second = try LiveExplorer(circuits, port: port)
    let url = second.url
    second.stop()
    let third = try LiveExplorer(circuits, port: port)

    #expect(url.port == Int(port))
    #expect(third.url.port == Int(port))
    #expect(third.url != url)
    #expect(try Client.ask(url, "GET", "\(url.path)/").status == "404 Not Found")
    let error = #expect(throws: LiveExplorer.Failure.self) {
      try LiveExplorer(circuits, port: port)
    }
    #expect(error?.port == port)
    #expect(error?.description.hasPrefix("The explorer can't listen on port \(port): ") == true)
    #expect(error?.description.hasSuffix("Choose another port, or 0 for any free port.") == true)
  }

  /// One client disconnects while the explorer has no pending event for that client.
  @Test func liveExplorerSendsEventsToAClientAfterAnotherClientDisconnects() throws {
    let (staying, _) = try explorer.watch()
    // These requests for an unknown path only keep the explorer busy.
    func askOthers(_ count: Int) throws {
      for _ in 0..<count { _ = try Client.ask(explorer.url, "GET", "/nothing") }
    }
    for round in 1...10 {
      try askOthers(300)
      let (leaving, _) = try explorer.watch()
      Invoker<Tally>().invoke(.add(2 * round))
      _ = leaving.receive(until: #""state":["f","Tally.add",0,"","n\#(2 * round)"]"#)
      try askOthers(10 * round)
      leaving.endOutput()
      _ = leaving.receive()

      Invoker<Tally>().invoke(.add(2 * round + 1))

      let last = #""state":["f","Tally.add",0,"","n\#(2 * round + 1)"]"#
      #expect(staying.receive(until: last).contains(last))
    }
  }

  // MARK: Under load

  /// Ten pages read continuously, and one silent page reads only at the end. The explorer buffers nothing
  /// for the silent page except for the history.
  @Test func pageThatReadsNoEventsDoesNotDelayOtherPagesOfALiveExplorer() async throws {
    let circuits = TimeCircuits(limits: .init(count: 1_000))
    let explorer = try LiveExplorer(circuits)
    let silent = try Client(explorer.url)
    silent.send(explorer.request(for: "events").utf8)
    let clients = try (0..<10).map { _ in try Client(explorer.url) }
    // The explorer disconnects silent clients, and a busy machine may begin the task late.
    for client in clients { client.send(explorer.request(for: "events").utf8) }
    let last = Tally.add(-1)
    async let received: [Bool] = withTaskGroup { group in
      for client in clients {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              let last = #""state":["f","Tally.add",0,"","n-1"]"#
              continuation.resume(returning: client.receive(until: last).contains(last))
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let count = isThorough ? 100_000 : 2_000
    for _ in 0..<count { Invoker<Tally>().invoke(.add(1)) }
    Invoker<Tally>().invoke(last)

    #expect(await received == Array(repeating: true, count: 10))
    let told = silent.receive(until: #""state":["f","Tally.add",0,"","n-1"]"#)
    let toldCount = told.split(separator: #""state":"#).count
    // The silent page receives only the dispatches that fit into the socket's buffers.
    if isThorough { #expect(toldCount < count / 2) }
  }
}

extension LiveExplorer {
  /// The HTTP request for a resource of this explorer.
  fileprivate func request(for resource: String) -> String {
    "GET \(url.path)/\(resource) HTTP/1.1\r\nHost: 127.0.0.1:\(url.port ?? 0)\r\n\r\n"
  }

  /// Sends a request for a resource of this explorer, and returns the response.
  fileprivate func ask(
    _ method: String,
    _ resource: String = "",
    headers: [String] = [],
    body: String = ""
  ) throws -> (status: String, body: String) {
    try Client.ask(url, method, "\(url.path)/\(resource)", headers: headers, body: body)
  }

  /// Requests the stream of events, and returns its client with the first event.
  fileprivate func watch() throws -> (client: Client, first: String) {
    let client = try Client(url)
    client.send(request(for: "events").utf8)
    return (client, client.receive(until: "\n\n"))
  }
}

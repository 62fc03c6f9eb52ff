import FluxCapacitorTestSupport
import GitHubSample
import Foundation

/// An HTTP server on 127.0.0.1 that sends the replies of a test over the real network stack.
final class LoopbackServer: Sendable {
  struct Request: Sendable {
    /// The request line and the headers of the request.
    let head: String
    let body: String
  }

  enum Reply: Sendable {
    case answer(status: Int = 200, headers: [String: String] = [:], body: Data)
    case bytes(String)
    case data(Data)

    /// A response that keeps the connection open for the next request.
    case keepAlive(body: Data)
    case close
    case silence

    /// An endless response that sends a byte from time to time.
    case drip
  }

  let port: UInt16

  /// A sequence of the requests in the order of their arrival.
  let requests: AsyncStream<Request>
  private let incoming: AsyncStream<Request>.Continuation
  private let listener: Int32
  private let received = Protected<[Request]>([])
  private let hasRequest = DispatchSemaphore(value: 0)
  private let reply: @Sendable (_ index: Int) -> Reply

  var receivedRequests: [Request] { received.withLock { $0 } }

  var url: String { "http://127.0.0.1:\(port)/graphql" }

  /// Blocks the thread until a request has arrived.
  func waitForRequest() { hasRequest.wait() }

  /// Runs a server until a closure ends.
  ///
  /// - Parameter reply: A closure that returns the reply to the request with a given number. The
  ///   first request has the number 0.
  static func serving<Result>(
    _ reply: @escaping @Sendable (_ index: Int) -> Reply,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (LoopbackServer) async throws -> Result
  ) async throws -> Result {
    let server = try LoopbackServer(reply)
    defer { server.stop() }
    return try await body(server)
  }

  /// Runs a closure with an address that refuses every connection.
  static func refusing<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ url: String) async throws -> Result
  ) async throws -> Result {
    let (socket, port) = try Socket.bound()
    defer { Socket.close(socket) }
    return try await body("http://127.0.0.1:\(port)/graphql")
  }

  private init(_ reply: @escaping @Sendable (_ index: Int) -> Reply) throws {
    self.reply = reply
    (requests, incoming) = AsyncStream.makeStream()
    (listener, port) = try Socket.listening()
    Thread.detachNewThread { [self] in acceptConnections() }
  }

  private func stop() {
    Socket.shutDown(listener)
    incoming.finish()
  }

  private func acceptConnections() {
    while let connection = Socket.accept(listener) {
      Thread.detachNewThread { [self] in
        serve(connection)
        Socket.close(connection)
      }
    }
    Socket.close(listener)
  }

  /// Reads requests and replies to them.
  private func serve(_ connection: Int32) {
    while answerRequest(on: connection) {}
  }

  /// - Returns: Whether the client can send the next request on the same connection.
  private func answerRequest(on connection: Int32) -> Bool {
    guard let request = readRequest(from: connection) else { return false }
    let index = received.withLock { received in
      received.append(request)
      return received.count - 1
    }
    incoming.yield(request)
    hasRequest.signal()
    switch reply(index) {
    case .answer(let status, let headers, let body):
      var head = "HTTP/1.1 \(status) Status\r\nConnection: close\r\n"
      head += "Content-Length: \(body.count)\r\n"
      for (name, value) in headers { head += "\(name): \(value)\r\n" }
      Socket.send(Data((head + "\r\n").utf8) + body, to: connection)
    case .bytes(let text):
      Socket.send(Data(text.utf8), to: connection)
    case .data(let data):
      Socket.send(data, to: connection)
    case .keepAlive(let body):
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
      return Socket.send(Data(head.utf8) + body, to: connection)
    case .close:
      break
    case .silence:
      // Silence means that the server waits until the client closes the connection.
      while let data = Socket.receive(from: connection), !data.isEmpty {}
    case .drip:
      Socket.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8), to: connection)
      let pause = DispatchSemaphore(value: 0)
      while Socket.send(Data(" ".utf8), to: connection) {
        _ = pause.wait(timeout: .now() + .milliseconds(20))
      }
    }
    return false
  }

  private func readRequest(from connection: Int32) -> Request? {
    var bytes = Data()
    let separator = Data("\r\n\r\n".utf8)
    while let data = Socket.receive(from: connection), !data.isEmpty {
      bytes += data
      guard let end = bytes.range(of: separator) else { continue }
      let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      let body = bytes[end.upperBound...]
      guard body.count >= contentLength(in: head) else { continue }
      return Request(head: head, body: String(decoding: body, as: UTF8.self))
    }
    return nil
  }

  private func contentLength(in head: String) -> Int {
    head.split(separator: "\r\n")
      .first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).filter(\.isNumber)) } ?? 0
  }
}

import Foundation

/// A connection of a ``LiveServer``. Only the server's thread uses connections.
final class LiveConnection {
  let socket: Socket
  let number: Int
  var isClosed = false

  /// The time at which the server closes the connection, or nil after a request with the secret.
  var deadline: ContinuousClock.Instant?

  private var received: [UInt8] = []

  /// The request whose body is still to arrive.
  private var request: HTTPRequest?
  private var hasRequest = false

  /// Whether the client has finished sending, and waits for the response.
  private(set) var hasInputEnded = false

  /// The bytes that are still to be sent.
  private var output = Data()
  private var closesBehindOutput = false

  /// Whether all bytes have been sent, and the client must close the connection next. If the server closed
  /// the connection before reading all input, the system would discard sent bytes.
  private var isEnding = false

  private var stream: LiveServer.Stream?

  /// The time of the last event, or nil if the stream has had nothing to send since then.
  private var lastSent: ContinuousClock.Instant?

  /// The shortest time between two events. Changes within this time are sent together, so a page doesn't redraw
  /// more often.
  private static let pause = Duration.milliseconds(40)

  init(_ socket: Socket, number: Int, deadline: ContinuousClock.Instant) {
    self.socket = socket
    self.number = number
    self.deadline = deadline
  }

  var isStream: Bool { stream != nil }

  var hasMoreToSend: Bool { !output.isEmpty }

  /// The number of milliseconds until the server may send the next event, or nil outside of a pause.
  var millisecondsToPause: Int32? {
    guard stream != nil, !hasMoreToSend, let lastSent else { return nil }
    return milliseconds(until: lastSent + LiveConnection.pause)
  }

  /// The number of milliseconds until the server closes the connection, or nil after a request with the secret.
  var millisecondsToDeadline: Int32? { deadline.map(milliseconds) }

  private func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let rest = end - .now
    return rest > .zero ? Int32(min(rest / .milliseconds(1), 1e9)) + 1 : 0
  }

  /// Reads the bytes that have arrived, and returns the request after its last byte has arrived.
  func receive() -> Result<HTTPRequest, HTTPRequest.Malformed>? {
    let start = received.count
    do {
      let bytes = try socket.receive(atMost: HTTPRequest.mostBytes)
      // The server ignores bytes after a complete request.
      guard !hasRequest, !isEnding else { return nil }
      received += bytes
    } catch {
      isClosed = hasInputEnded || !hasRequest || isStream || isEnding
      hasInputEnded = true
      return nil
    }
    do throws(HTTPRequest.Malformed) {
      if request == nil, let end = try HTTPRequest.head(of: received, from: start) {
        request = try HTTPRequest(head: received[..<end.lowerBound])
        received.removeSubrange(..<end.upperBound)
      }
      guard var request, received.count >= request.bodySize else { return nil }
      request.body = String(decoding: received.prefix(request.bodySize), as: UTF8.self)
      (hasRequest, received) = (true, [])
      return .success(request)
    } catch {
      (hasRequest, received) = (true, [])
      return .failure(error)
    }
  }

  func respond(_ response: HTTPResponse) {
    output.append(response.data)
    closesBehindOutput = true
  }

  /// Sends the response that begins a stream, followed by the stream's events.
  func send(_ stream: @escaping LiveServer.Stream) {
    output.append(HTTPResponse.events.data)
    self.stream = stream
  }

  /// Sends as many bytes as the socket accepts.
  func send() {
    guard !isClosed, !isEnding else { return }
    while true {
      if !hasMoreToSend {
        if closesBehindOutput {
          isEnding = true
          return socket.endOutput()
        }
        guard let event = nextEvent() else { return }
        output = event
      }
      do {
        let count = try socket.send(output)
        if count == 0 { return }
        output = output.dropFirst(count)
      } catch {
        isClosed = true
        return
      }
    }
  }

  private func nextEvent() -> Data? {
    if let millisecondsToPause, millisecondsToPause > 0 { return nil }
    lastSent = nil
    guard let event = stream?() else { return nil }
    lastSent = .now
    return event
  }
}

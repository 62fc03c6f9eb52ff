import Dispatch
import Foundation

/// One connection of a ``LiveServer``. Only the server's thread uses it.
final class LiveConnection {
  let socket: Socket
  let number: Int
  var isClosed = false

  private var received: [UInt8] = []
  private var head: Range<Int>?
  private var hasRequest = false

  /// Whether the other end has sent everything, and waits for its response.
  private(set) var hasInputEnded = false

  /// The bytes to send, from `sent` on.
  private var output = Data()
  private var sent = 0
  private var closesBehindOutput = false

  /// Whether everything has been sent, and the connection waits for the other end to close it. If this end
  /// closed it before reading everything, the system would discard the sent bytes.
  private var isEnding = false

  private var stream: LiveServer.Stream?

  /// The time of the last event, or nil if the stream had nothing to send.
  private var lastSent: UInt64?

  /// The shortest time between two events, in nanoseconds. Faster changes are sent together. A page draws no
  /// more often than this.
  private static let pause: UInt64 = 40_000_000

  init(_ socket: Socket, number: Int) {
    self.socket = socket
    self.number = number
  }

  var isStream: Bool { stream != nil }

  var hasMoreToSend: Bool { sent < output.count }

  /// The milliseconds until the next event may be sent, or nil if the connection isn't in a pause.
  var millisecondsToPause: Int32? {
    guard stream != nil, !hasMoreToSend, let lastSent else { return nil }
    let now = DispatchTime.now().uptimeNanoseconds
    let end = lastSent + LiveConnection.pause
    return end > now ? Int32((end - now) / 1_000_000) + 1 : 0
  }

  /// Reads the bytes that have come, and returns the request once it is complete.
  func receive() -> Result<HTTPRequest, HTTPRequest.Malformed>? {
    let start = received.count
    do {
      let bytes = try socket.receive(atMost: HTTPRequest.mostBytes)
      // Bytes after a request are ignored.
      guard !hasRequest, !isEnding else { return nil }
      received += bytes
    } catch {
      isClosed = hasInputEnded || !hasRequest || isStream || isEnding
      hasInputEnded = true
      return nil
    }
    do throws(HTTPRequest.Malformed) {
      if head == nil { head = try HTTPRequest.head(of: received, from: start) }
      guard let head, let request = try HTTPRequest(received, head) else { return nil }
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

  /// Sends events from now on.
  func send(_ stream: @escaping LiveServer.Stream) {
    output.append(HTTPResponse.events.data)
    self.stream = stream
  }

  /// Sends as much as the socket takes.
  func send() {
    guard !isClosed, !isEnding else { return }
    while true {
      if !hasMoreToSend {
        (output, sent) = (Data(), 0)
        if closesBehindOutput {
          isEnding = true
          return socket.endOutput()
        }
        guard let event = nextEvent() else { return }
        output = event
      }
      do {
        let count = try socket.send(output[sent...])
        if count == 0 { return }
        sent += count
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
    lastSent = DispatchTime.now().uptimeNanoseconds
    return event
  }
}

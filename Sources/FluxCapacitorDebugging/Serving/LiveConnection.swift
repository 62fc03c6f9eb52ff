import Dispatch
import Foundation

/// One connection of a ``LiveServer``, whose thread alone uses it.
final class LiveConnection {
  let socket: Socket
  let number: Int
  var isClosed = false

  private var received: [UInt8] = []
  private var head: Range<Int>?
  private var hasRequest = false

  /// Whether the other end sends no more, and waits for its answer.
  private(set) var hasInputEnded = false

  /// What is still to be sent, from `sent` on.
  private var output = Data()
  private var sent = 0
  private var closesBehindOutput = false

  /// Whether all has been sent, and the connection waits for the other end to close it: what has come and was
  /// not read would have the system throw away what was sent.
  private var isEnding = false

  private var stream: LiveServer.Stream?

  /// When the last event was sent that told all there was.
  private var lastSent: UInt64?

  /// What changes more often is told together. A page draws no more often than this.
  private static let pause: UInt64 = 40_000_000

  init(_ socket: Socket, number: Int) {
    self.socket = socket
    self.number = number
  }

  var isStream: Bool { stream != nil }

  var hasMoreToSend: Bool { sent < output.count }

  /// How long until it is to send again, if it waits for that.
  var millisecondsToPause: Int32? {
    guard stream != nil, !hasMoreToSend, let lastSent else { return nil }
    let now = DispatchTime.now().uptimeNanoseconds
    let end = lastSent + LiveConnection.pause
    return end > now ? Int32((end - now) / 1_000_000) + 1 : 0
  }

  /// Reads what has come; answers the request, once it is complete.
  func receive() -> Result<HTTPRequest, HTTPRequest.Malformed>? {
    let start = received.count
    do {
      let bytes = try socket.receive(atMost: HTTPRequest.mostBytes)
      // Nothing is expected behind a request.
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

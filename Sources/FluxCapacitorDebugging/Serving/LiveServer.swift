import Dispatch
import FluxCapacitor
import Foundation

/// The server of a ``LiveExplorer``, which handles all connections on a dedicated thread.
///
/// The server's thread waits for all connections in one call of `poll`. Other threads never wait for the
/// server's thread, but wake the thread by writing a byte into a pipe. A stream has no queue. When the
/// socket of a stream can send more, the server asks the stream for the next event.
///
/// The server keeps these invariants:
///
/// - Only the server's thread uses the connections.
/// - `lock` guards the state with which other threads stop the server, add a response, or wake the server's
///   thread.
/// - Only the server's thread closes a connection's descriptor. `stop` closes the listening descriptor
///   under `lock`. As a result, no thread uses a descriptor that the system has already reused for another
///   file.
/// - If the server has streams, and its thread sleeps without a time limit, `hasNews` is false. In this
///   state, `noteNews` wakes the thread.
final class LiveServer: @unchecked Sendable {
  /// The server's reaction to a request.
  enum Reaction: Sendable {
    case answer(HTTPResponse)

    /// Runs a closure on a queue, and then sends the response that the closure returns.
    case answerAfter(@Sendable () -> HTTPResponse)

    /// Sends events until the connection ends.
    case stream(Stream)
  }

  /// A closure that returns the next data to send, or nil if there is nothing to send. The server calls the
  /// closure until the connection ends.
  typealias Stream = @Sendable () -> Data?

  let port: UInt16

  /// The largest number of open connections, which no browser reaches by itself. At the limit, a new
  /// connection replaces the oldest connection that isn't a stream or, if all connections are streams, the
  /// oldest stream.
  private static let mostConnections = 128

  /// The time in which a client must have sent a whole request for a stream, or for an answer that takes work. The
  /// limit keeps programs that don't know the secret from using up descriptors.
  private let patience: Duration

  private let listener: Socket
  private let work = DispatchQueue(label: "LiveExplorer")
  private let wakeUps = Pipe()

  // `lock` guards all variables in this group.
  private let lock = Lock()
  private var isStopped = false
  private var hasNews = true
  private var answers: [(connection: Int, response: HTTPResponse)] = []

  // Only the server's thread uses the variables in this group.
  private var connections: [LiveConnection] = []
  private var lastNumber = 0
  private var canAccept = true

  /// Creates a server, which starts to listen on a port.
  init(port: UInt16, patience: Duration) throws {
    self.patience = patience
    let ends = [wakeUps.fileHandleForReading, wakeUps.fileHandleForWriting].map(\.fileDescriptor)
    guard ends.allSatisfy({ $0 >= 0 }) else { throw POSIXError(.EMFILE) }
    // Child processes of this process don't inherit the pipe.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (listener, self.port) = try Socket.listening(on: port)
  }

  /// Starts the server's thread, which handles requests until the server is stopped.
  ///
  /// - Parameter react: A closure that returns the reaction to a request. The server calls the closure on
  ///   its thread.
  func start(react: @escaping @Sendable (HTTPRequest) -> Reaction) {
    let thread = Thread { self.run(react) }
    thread.name = "LiveExplorer"
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Ends all connections, and releases the port.
  func stop() {
    lock.withLock {
      guard !isStopped else { return }
      isStopped = true
      // While the server's thread polls the listening socket, closing the socket isn't enough to stop
      // listening.
      listener.shutDown()
      listener.close()
    }
    wake()
  }

  /// Notes that streams may have something to send, and wakes the server's thread if necessary. A call is
  /// cheap if the thread already knows of the news, or if the server has no streams.
  func noteNews() {
    let isFirst = lock.withLock {
      defer { hasNews = true }
      return !hasNews
    }
    if isFirst { wake() }
  }

  private func wake() { try? wakeUps.fileHandleForWriting.write(contentsOf: [0]) }

  // MARK: The thread

  private func run(_ react: (HTTPRequest) -> Reaction) {
    while let ready = waitForWork() {
      if ready.isAnyoneNew { acceptAll() }
      let answers = lock.withLock {
        defer { self.answers = [] }
        return self.answers
      }
      for (connection, response) in answers {
        connections.first { $0.number == connection }?.respond(response)
      }
      for connection in connections {
        if ready.readable.contains(connection.socket), let request = connection.receive() {
          handle(request, of: connection, react)
        }
        connection.send()
        if connection.millisecondsToDeadline == 0 { connection.isClosed = true }
      }
      removeClosed()
    }
    for connection in connections {
      connection.socket.shutDown()
      connection.socket.close()
    }
  }

  /// Waits until the server's thread has work to do. The result is nil if the server has been stopped.
  private func waitForWork() -> (isAnyoneNew: Bool, readable: Set<Socket>)? {
    let pipe = wakeUps.fileHandleForReading.fileDescriptor
    var polled = [pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)]
    let newcomers = Int16(canAccept ? POLLIN : 0)
    polled.append(pollfd(fd: listener.descriptor, events: newcomers, revents: 0))
    for connection in connections {
      let events =
        (connection.hasInputEnded ? 0 : POLLIN) | (connection.hasMoreToSend ? POLLOUT : 0)
      polled.append(pollfd(fd: connection.socket.descriptor, events: Int16(events), revents: 0))
    }
    let pauses = connections.compactMap(\.millisecondsToPause)
    let deadlines = connections.compactMap(\.millisecondsToDeadline)
    let isAnyoneStreamed = connections.contains(where: \.isStream)
    var limit = (pauses + deadlines + (canAccept ? [] : [100])).min() ?? -1
    let isStopped = lock.withLock {
      // After a pause between two events, all streams check for news. If no stream pauses, and news has
      // arrived since the last check, `poll` returns immediately. News that arrives later wakes the thread.
      if isAnyoneStreamed, pauses.isEmpty {
        if hasNews { limit = 0 }
        hasNews = false
      }
      return self.isStopped
    }
    if isStopped { return nil }
    poll(&polled, nfds_t(polled.count), limit)
    canAccept = true
    if lock.withLock({ self.isStopped }) { return nil }
    if polled[0].revents != 0 {
      var bytes: (UInt64, UInt64) = (0, 0)
      _ = read(pipe, &bytes, MemoryLayout.size(ofValue: bytes))
    }
    let readable = polled.dropFirst(2).filter { $0.revents & ~Int16(POLLOUT) != 0 }
    return (polled[1].revents != 0, Set(readable.map { Socket(descriptor: $0.fd) }))
  }

  private func acceptAll() {
    var hasAccepted = false
    while true {
      do {
        let accepted = try lock.withLock { isStopped ? nil : try listener.accept() }
        guard let socket = accepted else { return }
        hasAccepted = true
        if connections.count >= LiveServer.mostConnections { dropOldest() }
        lastNumber += 1
        connections.append(LiveConnection(socket, number: lastNumber, deadline: .now + patience))
      } catch {
        // The process has run out of descriptors, which the system can report even without a waiting
        // client.
        if hasAccepted { return }
        canAccept = !connections.isEmpty
        return dropOldest()
      }
    }
  }

  private func dropOldest() {
    let oldest = connections.first { !$0.isStream } ?? connections.first
    oldest?.isClosed = true
    removeClosed()
  }

  private func removeClosed() {
    for connection in connections where connection.isClosed { connection.socket.close() }
    connections.removeAll { $0.isClosed }
  }

  private func handle(
    _ request: Result<HTTPRequest, HTTPRequest.Malformed>,
    of connection: LiveConnection,
    _ react: (HTTPRequest) -> Reaction
  ) {
    guard let request = try? request.get() else { return connection.respond(.malformed) }
    switch react(request) {
    case .answer(let response): connection.respond(response)
    case .stream(let stream):
      connection.deadline = nil
      connection.send(stream)
    case .answerAfter(let makeResponse):
      connection.deadline = nil
      work.async { [self, number = connection.number] in
        let response = makeResponse()
        lock.withLock { answers.append((number, response)) }
        wake()
      }
    }
  }
}

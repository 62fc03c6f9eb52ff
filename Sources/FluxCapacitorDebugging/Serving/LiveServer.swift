import Dispatch
import FluxCapacitor
import Foundation

/// The server of a ``LiveExplorer``, which handles its connections on a thread of its own.
///
/// The thread waits for all connections in one `poll`. Other threads never wait for it: they wake it by a
/// byte in a pipe. A stream has no queue: when its socket can take more, the server asks the stream for the
/// next event.
///
/// These invariants hold:
///
/// - Only the server's thread uses the connections.
/// - `lock` guards everything that other threads do: stopping the server, adding a response, and waking the
///   thread.
/// - The thread closes the descriptors of connections, and the listening descriptor is closed under `lock`.
///   So no thread uses a descriptor that the system has already given to another file.
/// - While there are streams, and the thread sleeps without a limit, `hasNews` is false. So `noteNews` wakes
///   the thread.
final class LiveServer: @unchecked Sendable {
  /// The server's reaction to a request.
  enum Reaction: Sendable {
    case answer(HTTPResponse)

    /// Runs a closure on a queue, and then sends its response.
    case answerAfter(@Sendable () -> HTTPResponse)

    /// Sends events until the connection ends.
    case stream(Stream)
  }

  /// Returns the next data to send, or nil if there is nothing to send. The server calls it as long as the
  /// connection lasts.
  typealias Stream = @Sendable () -> Data?

  let port: UInt16

  /// The largest number of connections, which is more than browsers open. A new connection replaces the
  /// oldest one that isn't a stream.
  private static let mostConnections = 128

  private let listener: Socket
  private let work = DispatchQueue(label: "LiveExplorer")
  private let wakeUps = Pipe()

  // All guarded by `lock`.
  private let lock = Lock()
  private var isStopped = false
  private var hasNews = true
  private var sockets: Set<Socket> = []
  private var answers: [(connection: Int, response: HTTPResponse)] = []

  // Only the server's thread uses these.
  private var connections: [LiveConnection] = []
  private var lastNumber = 0
  private var canAccept = true

  /// Creates a server that listens from now on.
  init(port: UInt16) throws {
    let ends = [wakeUps.fileHandleForReading, wakeUps.fileHandleForWriting].map(\.fileDescriptor)
    guard ends.allSatisfy({ $0 >= 0 }) else { throw POSIXError(.EMFILE) }
    // Processes that this one starts don't inherit the pipe.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (listener, self.port) = try Socket.listening(on: port)
  }

  /// Starts the thread, which handles requests until the server is stopped.
  ///
  /// - Parameter react: Returns the reaction to a request. It is called on the thread.
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
      // Closing the listener is not enough while the thread waits for it.
      listener.shutDown()
      listener.close()
      for socket in sockets { socket.shutDown() }
    }
    wake()
  }

  /// Notes that streams may have something to send. This costs next to nothing while the thread already knows
  /// it, or while there are no streams.
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
      for (connection, response) in takeAnswers() {
        connections.first { $0.number == connection }?.respond(response)
      }
      for connection in connections {
        if ready.readable.contains(connection.socket), let request = connection.receive() {
          handle(request, of: connection, react)
        }
        connection.send()
      }
      removeClosed()
    }
    for connection in connections { connection.socket.close() }
  }

  /// Waits until there is something to do. Returns nil when the server is stopped.
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
    let isAnyoneStreamed = connections.contains(where: \.isStream)
    var limit = (pauses + (canAccept ? [] : [100])).min() ?? -1
    let isStopped = lock.withLock {
      // After a pause, all streams look for news. If no stream pauses, they look now if there is news since
      // they last looked. Any later news wakes the thread.
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

  private func takeAnswers() -> [(connection: Int, response: HTTPResponse)] {
    lock.withLock {
      defer { answers = [] }
      return answers
    }
  }

  private func acceptAll() {
    var hasAccepted = false
    while true {
      do {
        guard let socket = try acceptOne() else { return }
        hasAccepted = true
        if connections.count >= LiveServer.mostConnections { dropOldest() }
        lastNumber += 1
        connections.append(LiveConnection(socket, number: lastNumber))
      } catch {
        // The process has no descriptors left. The system reports this even if no client waits.
        if hasAccepted { return }
        canAccept = !connections.isEmpty
        return dropOldest()
      }
    }
  }

  private func acceptOne() throws -> Socket? {
    try lock.withLock {
      guard !isStopped, let socket = try listener.accept() else { return nil }
      sockets.insert(socket)
      return socket
    }
  }

  private func dropOldest() {
    let oldest = connections.first { !$0.isStream } ?? connections.first
    oldest?.isClosed = true
    removeClosed()
  }

  private func removeClosed() {
    for connection in connections where connection.isClosed {
      lock.withLock {
        _ = sockets.remove(connection.socket)
        connection.socket.close()
      }
    }
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
    case .stream(let stream): connection.send(stream)
    case .answerAfter(let makeResponse):
      work.async { [self, number = connection.number] in
        let response = makeResponse()
        lock.withLock { answers.append((number, response)) }
        wake()
      }
    }
  }
}

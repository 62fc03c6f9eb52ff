import Dispatch
import FluxCapacitor
import Foundation

/// The connections of a ``LiveExplorer``, on a thread of their own.
///
/// The thread waits in one `poll` for all of them. Nobody waits for it: others wake it by a byte in a pipe.
/// A stream has no queue: when its socket takes more, it is asked what to send then.
///
/// Invariants: the connections belong to the thread. What others do with it is guarded by `lock`: to stop
/// it, to answer what was to be answered later, and to wake it. A descriptor is closed by the thread, and
/// the listening one under `lock`, so nobody uses one that is another's by then. While there are streams, and
/// the thread sleeps without a limit, `hasNews` is false, so that whoever notes news wakes it.
final class LiveServer: @unchecked Sendable {
  /// What to do about a request.
  enum Reaction: Sendable {
    case answer(HTTPResponse)

    /// Runs a closure off the thread, and then answers.
    case answerAfter(@Sendable () -> HTTPResponse)

    /// Sends events until the connection ends.
    case stream(Stream)
  }

  /// What is sent next as long as a connection lasts, or nil if there is nothing to send.
  typealias Stream = @Sendable () -> Data?

  let port: UInt16

  /// More than browsers open. The oldest that is no stream goes for a new one.
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

  // The thread's own.
  private var connections: [LiveConnection] = []
  private var lastNumber = 0
  private var canAccept = true

  /// Listens from now on.
  init(port: UInt16) throws {
    let ends = [wakeUps.fileHandleForReading, wakeUps.fileHandleForWriting].map(\.fileDescriptor)
    guard ends.allSatisfy({ $0 >= 0 }) else { throw POSIXError(.EMFILE) }
    // No process that is started inherits them.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (listener, self.port) = try Socket.listening(on: port)
  }

  /// Answers, until it is stopped.
  ///
  /// - Parameter react: What to do about a request. Called on the thread.
  func start(react: @escaping @Sendable (HTTPRequest) -> Reaction) {
    let thread = Thread { self.run(react) }
    thread.name = "LiveExplorer"
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Ends all connections, and lets go of the port.
  func stop() {
    lock.withLock {
      guard !isStopped else { return }
      isStopped = true
      // To close it is not enough while the thread waits for it.
      listener.shutDown()
      listener.close()
      for socket in sockets { socket.shutDown() }
    }
    wake()
  }

  /// Notes that streams may have something to send. It costs next to nothing while the thread knows that,
  /// or while there are none.
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

  /// Waits until there is something to do; answers nil when it is stopped.
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
      // Behind a pause, all streams ask what is new. If none pauses, they ask now, if something has come since
      // they asked last; what comes from now on wakes the thread.
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
        // The process has no descriptors left, which the system says even if nobody waits.
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

import Dispatch
import FluxCapacitor
import Foundation

/// Shows the dispatches of the running process in a browser, and undoes and redoes them.
///
/// ```swift
/// let circuits = TimeCircuits()
/// let explorer = try LiveExplorer(circuits)
/// print(explorer.url)
/// ```
///
/// The page looks like that of a ``FlowExplorer``. It begins with all dispatches that the ``TimeCircuits`` remembers, and
/// adds each new one. Its slider and buttons undo and redo dispatches in the process itself: each step sets the variables,
/// and calls their observers on a queue of the explorer. You can save the dispatches as a file for ``RecordedFlow``, or as
/// a page.
///
/// Only programs on this machine can connect to the explorer. Its address contains a random secret, so a program without
/// the address learns nothing. Each explorer has a new secret: a program that takes the port of an ended explorer can't use
/// the secret that an open page still sends. The page shows `•••` in place of a ``Secret``.
///
/// > Warning: Anyone with the address can see and change the contents of your stores. Create an explorer only in debug
/// builds, and don't share its address.
///
/// A dispatch never waits for a browser. A slow browser receives updates in batches, and misses dispatches that the
/// ``TimeCircuits`` has already forgotten. You can use an explorer on any thread. It ends when you call ``stop()``, or when
/// it is deallocated.
public final class LiveExplorer: Sendable {
  /// The address to open in a browser on this machine.
  public let url: URL

  private let server: LiveServer
  private let circuits: TimeCircuits

  /// Creates an explorer, which starts to serve its page.
  ///
  /// - Parameters:
  ///   - circuits: Remembers the dispatches.
  ///   - title: The title of the page.
  ///   - port: The port on this machine, or 0 for any free port.
  /// - Throws: A ``Failure`` if the explorer can't listen on the port.
  public convenience init(
    _ circuits: TimeCircuits,
    title: String = "Flow",
    port: UInt16 = 0
  ) throws {
    try self.init(circuits, title: title, port: port, patience: .seconds(10))
  }

  /// - Parameter patience: The time in which a client must have sent a whole request with the secret.
  package init(_ circuits: TimeCircuits, title: String, port: UInt16, patience: Duration) throws {
    let secret = LiveSecret()
    do {
      server = try LiveServer(port: port, patience: patience)
    } catch {
      throw Failure(port: port, cause: error.localizedDescription)
    }
    self.circuits = circuits
    guard let url = URL(string: "http://127.0.0.1:\(server.port)/\(secret.text)/") else {
      throw Failure(port: port, cause: "The address is not a valid URL.")
    }
    self.url = url
    let handler = LiveHandler(circuits: circuits, title: title, port: server.port, secret: secret)
    circuits.history.setListener({ [server] in server.noteNews() }, of: server)
    server.start { handler.reaction(to: $0) }
  }

  deinit {
    stop()
  }

  /// Ends all pages' connections, and releases the port. The ``TimeCircuits`` continues to remember dispatches.
  public func stop() {
    circuits.history.setListener(nil, of: server)
    server.stop()
  }

  /// The error for an explorer that can't be created.
  public struct Failure: Error, LocalizedError, Sendable, CustomStringConvertible {
    /// The requested port.
    public let port: UInt16

    let cause: String

    /// A message that names the reason and a remedy.
    public var description: String {
      "The explorer can't listen on port \(port): \(cause) Choose another port, or 0 for any free port."
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
  }
}

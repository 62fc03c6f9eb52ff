import Dispatch
import FluxCapacitor
import Foundation

/// Shows the dispatches of this process in a browser while it runs, and goes back and forth between them.
///
/// ```swift
/// let circuits = TimeCircuits()
/// let explorer = try LiveExplorer(circuits)
/// print(explorer.url)
/// ```
///
/// The page looks like a ``FlowExplorer``. It begins with all dispatches that the time circuits remember, and
/// adds each new dispatch. Its slider and its buttons take the process itself back and forth. They set the
/// variables to the values of that moment, and call their observers, on a queue of the explorer. You can
/// save the dispatches as a file for ``RecordedFlow``, or as a page.
///
/// Only this machine can connect. The address contains a random secret, and a program that doesn't know the
/// address learns nothing. A ``Secret`` of the application is not shown. Still, anyone with the address can
/// see and change the contents of the stores. Create an explorer in debug builds only, and don't pass on its
/// address.
///
/// A dispatch never waits for a browser. A slow browser receives updates in batches, without the dispatches
/// that have been forgotten by then. You can use an explorer from any thread. It ends with ``stop()``, and
/// when it is deallocated.
public final class LiveExplorer: Sendable {
  /// The address to open in a browser on this machine.
  public let url: URL

  private let server: LiveServer
  private let circuits: TimeCircuits

  /// Creates an explorer, and serves its page from now on.
  ///
  /// - Parameters:
  ///   - circuits: The time circuits that remember the dispatches.
  ///   - title: The title of the page.
  ///   - port: The port on this machine, or 0 for any free port. If you choose a port, the address is the
  ///     same in the next run, and a page that is still open continues.
  /// - Throws: ``Failure``, if the port can't be used.
  public init(_ circuits: TimeCircuits, title: String = "Flow", port: UInt16 = 0) throws {
    let secret = port == 0 ? LiveSecret() : LiveSecret(port: port)
    do {
      server = try LiveServer(port: port)
    } catch {
      throw Failure(port: port, cause: error.localizedDescription)
    }
    self.circuits = circuits
    var address = URLComponents()
    (address.scheme, address.host, address.port) = ("http", "127.0.0.1", Int(server.port))
    address.path = "/\(secret.text)/"
    guard let url = address.url else {
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

  /// Ends the connections of all pages, and releases the port. The time circuits continue.
  public func stop() {
    circuits.history.setListener(nil, of: server)
    server.stop()
  }

  /// The error when an explorer can't be created.
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

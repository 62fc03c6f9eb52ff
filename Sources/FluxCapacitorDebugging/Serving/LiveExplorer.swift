import Dispatch
import FluxCapacitor
import Foundation

/// Shows the dispatches of this process in a browser while it runs, and travels in it.
///
/// ```swift
/// let circuits = TimeCircuits()
/// let explorer = try LiveExplorer(circuits)
/// print(explorer.url)
/// ```
///
/// The page is that of a ``FlowExplorer``: first with all that the time circuits remember, and then with
/// each dispatch as it comes. With its slider and its buttons, the process travels: its variables are set to
/// their values of then, and their observers are called, on a thread of the explorer. What it has can be saved
/// as a file for ``RecordedFlow``, or as a page.
///
/// Only this machine can connect, and whoever doesn't know the address, which has a random secret, learns
/// nothing. A ``Secret`` of the application is not shown. Still, whoever has the address can see and change
/// what the stores have: make an explorer in debug builds only, and don't pass on its address.
///
/// A dispatch waits for no browser. What one takes too slowly is told together, and what has been forgotten by
/// then is left out. You can use an explorer from any thread. It ends with ``stop()``, and when it is
/// deallocated.
public final class LiveExplorer: Sendable {
  /// The address to open in a browser on this machine.
  public let url: URL

  private let server: LiveServer
  private let circuits: TimeCircuits

  /// Creates an explorer, which can be looked at from now on.
  ///
  /// - Parameters:
  ///   - circuits: The time circuits that remember the dispatches.
  ///   - title: The title of the page.
  ///   - port: The port of this machine; 0 for any that is free. With a port of your own, the address is the
  ///     same in the next run, and a page that is still open goes on.
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
      throw Failure(port: port, cause: "It has no address.")
    }
    self.url = url
    let handler = LiveHandler(circuits: circuits, title: title, port: server.port, secret: secret)
    circuits.history.setListener({ [server] in server.noteNews() }, of: server)
    server.start { handler.reaction(to: $0) }
  }

  deinit {
    stop()
  }

  /// Ends the connections of all pages, and lets go of the port. The time circuits go on.
  public func stop() {
    circuits.history.setListener(nil, of: server)
    server.stop()
  }

  /// Why an explorer can't be created.
  public struct Failure: Error, LocalizedError, Sendable, CustomStringConvertible {
    /// The port that was asked for.
    public let port: UInt16

    let cause: String

    /// A message that says what is wrong, and what to do.
    public var description: String {
      "Port \(port) can't be listened on: \(cause) Choose another one, or 0 for any that is free."
    }

    /// The same message.
    public var errorDescription: String? { description }
  }
}

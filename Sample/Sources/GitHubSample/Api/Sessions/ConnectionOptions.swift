/// The command-line options for the connection to the server.
package struct ConnectionOptions: Equatable, Sendable {
  package var hostname: String?
  package var token: AccessToken?

  /// The time limit for the command and for each request. If the value is nil, the limits are five
  /// minutes for the command, and ``HTTPLimits/standard`` for each request.
  package var timeout: Duration?

  /// Whether the command uses recorded responses instead of the network.
  package var isDemo = false

  package init() {}
}

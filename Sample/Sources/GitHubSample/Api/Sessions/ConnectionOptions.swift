/// The options of the connection to the server.
package struct ConnectionOptions: Equatable, Sendable {
  package var hostname: String?
  package var token: AccessToken?

  /// The time limit of the command and of each request. If it is nil, the command may take five
  /// minutes, and each request may take the time of ``HTTPLimits/standard``.
  package var timeout: Duration?

  /// Whether recorded responses are used.
  package var isDemo = false

  package init() {}
}

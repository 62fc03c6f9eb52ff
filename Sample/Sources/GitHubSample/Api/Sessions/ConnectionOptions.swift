/// Which server to use, and how.
package struct ConnectionOptions: Equatable, Sendable {
  package var hostname: String?
  package var token: AccessToken?

  /// How long the command may take; nil for five minutes, and less for a single request.
  package var timeout: Duration?

  /// Whether recorded responses are used.
  package var isDemo = false

  package init() {}
}

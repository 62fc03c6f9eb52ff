/// What the command line says of whom to ask, and how.
package struct ConnectionOptions: Equatable, Sendable {
  package var hostname: String?
  package var token: AccessToken?

  /// How long the whole may take; nil for five minutes, and less for a single request.
  package var timeout: Duration?

  /// Whether recorded answers are used.
  package var isDemo = false

  package init() {}
}

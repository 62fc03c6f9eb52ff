/// What the command line asks for.
package enum Command: Equatable, Sendable {
  case help
  case listRepositories(ListOptions)
}

import FluxCapacitor

/// The stores of the application, kept as long as a command runs.
package struct Stores: Sendable {
  package let user = UserStore.instantiate()
  package let repository = RepositoryStore.instantiate()
  package let connection = ConnectionStore.instantiate()

  package init() {}

  /// How the command ends, as the stores have it.
  var exitCode: ExitCode {
    (user.failure.value ?? repository.failure.value)?.exitCode ?? .success
  }
}

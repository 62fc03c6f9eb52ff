import FluxCapacitor

/// The stores of the application, which are kept alive while a command runs.
package struct Stores: Sendable {
  package let user = UserStore.instantiate()
  package let repository = RepositoryStore.instantiate()
  package let connection = ConnectionStore.instantiate()

  /// Whether a fetch is running.
  let isFetching: Constant<Bool>

  /// The error that ended a fetch early, or nil if no fetch has failed.
  let failure: Constant<ApiError?>

  package init() {
    isFetching = Constant.combine(user.fetch, repository.fetch)
      .map { $0.isRunning || $1.isRunning }
      .removeDuplicates()
    failure = Constant.combine(user.fetch, repository.fetch)
      .map { $0.failure ?? $1.failure }
  }
}

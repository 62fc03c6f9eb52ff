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
    isFetching = Constant.combine(user.isUserFetching, repository.isRepositoryFetching)
      .map { $0 || $1 }
      .removeDuplicates()
    failure = Constant.combine(user.failure, repository.failure).map { $0 ?? $1 }
  }
}

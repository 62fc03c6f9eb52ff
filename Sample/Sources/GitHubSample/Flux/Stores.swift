import FluxCapacitor

/// The stores of the application, kept as long as a command runs.
package struct Stores: Sendable {
  package let user = UserStore.instantiate()
  package let repository = RepositoryStore.instantiate()
  package let connection = ConnectionStore.instantiate()

  /// Whether anything is being fetched.
  let isFetching: Constant<Bool>

  /// Why a fetching ended early, if one did.
  let failure: Constant<ApiError?>

  package init() {
    isFetching = Constant.combine(user.isUserFetching, repository.isRepositoryFetching)
      .map { $0 || $1 }
      .removeDuplicates()
    failure = Constant.combine(user.failure, repository.failure).map { $0 ?? $1 }
  }
}

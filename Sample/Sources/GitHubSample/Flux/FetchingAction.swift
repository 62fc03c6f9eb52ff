import FluxCapacitor

/// An action that makes one fetch at a time. A newer fetch supersedes the older one.
protocol FetchingAction: Actionable where DispatchStateType: FetchingState {
  var effects: Effects { get }
}

extension FetchingAction {
  /// Makes a fetch, and returns when it has succeeded or failed.
  ///
  /// A fetch that is cancelled before its last response fails.
  func fetch(_ body: @escaping @Sendable (Effect) async throws(ApiError) -> Void) async {
    await effects.perform { effect in
      invoke(.removeAll, as: effect)
      invoke(.isFetching(true), as: effect)
      do throws(ApiError) {
        try await body(effect)
      } catch {
        invoke(.fetchingFailed(error), as: effect)
      }
      invoke(.isFetching(false), as: effect)
    }
  }
}

import FluxCapacitor

/// Fetches one thing at a time: the newest.
protocol FetchingAction: Actionable where DispatchStateType: FetchingState {
  var effects: Effects { get }
}

extension FetchingAction {
  /// Fetches, and returns when that is done or has failed. What is cancelled before its last response fails.
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

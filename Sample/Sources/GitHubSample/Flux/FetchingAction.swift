import FluxCapacitor

/// An action that runs one fetch at a time. A newer fetch supersedes an older fetch.
protocol FetchingAction: Actionable where DispatchStateType: FetchingState {
  var effects: Effects { get }
}

extension FetchingAction {
  /// Runs a fetch, and returns after the fetch has succeeded or failed.
  ///
  /// If a fetch is cancelled before its last response arrives, the fetch fails.
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

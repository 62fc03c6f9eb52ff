import FluxCapacitor

/// The states of a store that keeps a fetch.
package protocol FetchingState: DispatchState, Equatable {
  associatedtype Item: Equatable & Sendable

  static func fetch(_ event: Fetch<Item>.Event) -> Self
}

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
      invoke(.fetch(.began), as: effect)
      do throws(ApiError) {
        try await body(effect)
      } catch {
        invoke(.fetch(.failed(error)), as: effect)
      }
      invoke(.fetch(.ended), as: effect)
    }
  }
}

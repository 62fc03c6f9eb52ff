import FluxCapacitor

/// A store that keeps a fetch. All actions of its states share its effects, so a newer fetch supersedes an older one.
package protocol FetchingStore: Storable {
  var fetches: Effects { get }
}

/// The states of a store that keeps a fetch.
package protocol FetchingState: DispatchState, Equatable where RelatedStoreType: FetchingStore {
  associatedtype Item: Equatable & Sendable

  static func fetch(_ event: Fetch<Item>.Event) -> Self
}

/// An action that fetches what its store keeps.
protocol FetchingAction: Actionable where DispatchStateType: FetchingState {}

extension FetchingAction {
  /// Runs a fetch, and returns after the fetch has succeeded or failed.
  ///
  /// If a fetch is cancelled before its last response arrives, the fetch fails.
  func fetch(_ body: @escaping @Sendable (Effect) async throws(ApiError) -> Void) async {
    await DispatchStateType.RelatedStoreType.instantiate().fetches.perform { effect in
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

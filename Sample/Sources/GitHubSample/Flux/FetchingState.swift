import FluxCapacitor

/// The states that every fetch invokes.
package protocol FetchingState: DispatchState, Equatable {
  static var removeAll: Self { get }
  static func isFetching(_ isFetching: Bool) -> Self
  static func fetchingFailed(_ error: ApiError) -> Self
}

import FluxCapacitor

/// The states that every fetching goes through.
package protocol FetchingState: DispatchState, Equatable {
  static var removeAll: Self { get }
  static func isFetching(_ isFetching: Bool) -> Self
  static func fetchingFailed(_ error: ApiError) -> Self
}

/// Fetches one thing at a time: the newest.
protocol FetchingAction: Actionable where DispatchStateType: FetchingState {
  var session: any ApiSession { get }
  var newest: NewestFetching { get }
}

/// What an action is fetching.
final class NewestFetching: Sendable {
  let task = DustBuster()
  let number = Protected(0)
}

extension FetchingAction {
  /// Fetches, and returns when that is done or has failed.
  ///
  /// What was being fetched before is cancelled, and nothing of it is reduced any more. Cancelling the
  /// task that asks ends the fetching too, as an error does.
  ///
  /// - Parameter body: Invokes what it fetches, unless it is cancelled.
  func fetch(_ body: @escaping @Sendable () async throws(ApiError) -> Void) async {
    let (beginning, begin) = AsyncStream<Never>.makeStream()
    // In one step: the newest is the one that replaces the others.
    let task = dispatcher.transaction {
      let number = newest.number.withLock { number in
        number += 1
        return number
      }
      return Task(replacing: newest.task) {
        for await _ in beginning {}
        invokeUnlessCancelled(.removeAll)
        invokeUnlessCancelled(.isFetching(true))
        let failure = await failure(of: body)
        // Who is cancelled says so too, but not in the place of a newer one.
        dispatcher.transaction {
          guard newest.number.withLock({ $0 }) == number else { return }
          if let failure { invoke(.fetchingFailed(failure)) }
          invoke(.isFetching(false))
        }
      }
    }
    await withTaskCancellationHandler {
      // Not before it can be cancelled.
      begin.finish()
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func failure(
    of body: @Sendable () async throws(ApiError) -> Void
  ) async -> ApiError? {
    do throws(ApiError) {
      try await body()
      return Task.isCancelled ? ApiError(.cancelled, at: session.place) : nil
    } catch {
      return error
    }
  }
}

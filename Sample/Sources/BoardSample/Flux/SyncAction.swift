import FluxCapacitor

/// Sends edits to the server. The board shows each edit before the server receives it.
package struct SyncAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Sync

  // While a sync runs, the next sync waits for its end. It then also sends the newest edits.
  private let effects = Effects(.newestWaiting)
  private let store = SyncStore.instantiate()
  private let server: any Server

  package init(server: any Server) {
    self.server = server
  }

  package func sync() {
    effects.run { effect in
      for edit in store.unsynced.value {
        do throws(ServerError) {
          try await server.send(edit)
          invoke(.confirm(edit), as: effect)
        } catch {
          if case .refused = error {
            Invoker<Dispatcher.Cards>().invoke(.rollBack(edit), as: effect)
          }
          invoke(.fail(edit, error), as: effect)
          if error == .unreachable { return }
        }
      }
    }
  }
}

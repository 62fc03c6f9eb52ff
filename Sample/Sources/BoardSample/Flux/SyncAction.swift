import FluxCapacitor

/// Sends edits to the server. The board shows each edit before the server receives it.
package struct SyncAction: Actionable {
  package typealias DispatchStateType = Dispatcher.Sync

  private let server: any Server

  package init(server: any Server) {
    self.server = server
  }

  package func sync() {
    let store = SyncStore.instantiate()
    // The operation keeps the store, so a sync that has begun ends even if the board is closed.
    store.syncs.run { effect in
      // An edit between the two reads would have this revision, but wouldn't be sent.
      let (edits, revision) = Dispatcher.shared.read {
        (store.unsynced.value, store.cards.revision.value)
      }
      for edit in edits {
        do throws(ServerError) {
          try await server.send(edit)
          invoke(.confirm(edit, revision: revision), as: effect)
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

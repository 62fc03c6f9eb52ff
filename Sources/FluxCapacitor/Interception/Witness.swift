import Synchronization

/// Somebody who attends every dispatch of a dispatcher.
///
/// It is called in the dispatcher's turn, on the thread that dispatches, when the state has been reduced
/// and nobody told of it. So it may do nothing but take notes: no code of the user's runs in it.
package final class Witness: Sendable {
  /// Whether it wants to know what each dispatch has changed.
  let isOfChanges: Bool

  /// The number of the first event that it attends, if it is of changes. Written under the registry's lock,
  /// before anybody who has taken that finds the witness: relaxed is enough.
  let first = Atomic(Int.max)

  let attend: @Sendable (DispatchEvent) -> Void

  package init(
    ofChanges isOfChanges: Bool = false,
    attending: @escaping @Sendable (DispatchEvent) -> Void
  ) {
    self.isOfChanges = isOfChanges
    attend = attending
  }
}

extension Dispatcher {
  /// Has somebody attend every dispatch from now on, whose reduce has not begun.
  ///
  /// Without a witness, a dispatch costs nothing for that.
  ///
  /// - Returns: What ends it.
  package func add(_ witness: Witness) -> Dust {
    registry.add(witness)
    return ActionDust { [weak registry, weak witness] in witness.map { registry?.remove($0) } }
  }

  /// Whether a store is alive and registered that a state would reach.
  package func hasStores<State: DispatchState>(for _: State) -> Bool {
    registry.hasStores(for: State.self)
  }

  /// The stores that are alive and registered, with their variables, in the order of their names. It
  /// waits for the turn, so that no store is looked at in the midst of its reduce.
  package var contentsOfStores: [(store: any Storable.Type, contents: StoreContents)] {
    // They are let go of after the turn.
    let stores = registry.allStores
    return read {
      stores.map { (store: type(of: $0), contents: StoreContents(of: $0)) }
        .sorted { sourceName(of: $0.store) < sourceName(of: $1.store) }
    }
  }

  /// What is under way on behalf of this dispatcher.
  package var activity: Activity { registry.activity }

  /// The process's dispatcher, whatever stands in for it.
  package static var processWide: Dispatcher { ofProcess }
}

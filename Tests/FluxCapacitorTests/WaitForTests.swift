import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise B7: `waitFor` lets another store reduce the current state first.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct WaitForTests {
  private let dispatcher = Dispatcher.shared
  private let log = Log<String>()

  /// Dispatches a state to stores, which live until the end of the dispatch. Each store's reduce runs the body,
  /// and then logs the store's name.
  private func dispatch(
    to stores: Any = relayStores(),
    _ body: @escaping @Sendable (any RelayStore) -> Void
  ) {
    dispatcher.dispatch(
      Relay.run { [log] store in
        body(store)
        log.append(store.name)
      }
    )
    withExtendedLifetime(stores) {}
  }

  @Test func waitForMakesTheAwaitedStoreReduceFirst() {
    dispatch { if $0 is FirstStore { $0.wait(for: ThirdStore.self) } }

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore"])
  }

  /// An enum with one case has a size of zero. In optimized builds, a value of this enum has no address.
  @Test func waitForMakesTheAwaitedStoreReduceAStateOfZeroSizeFirst() {
    let stores = (EmptyFirstStore.instantiate(), EmptySecondStore.instantiate())
    let order = stores.0.order

    dispatcher.dispatch(Empty.only)

    #expect(order.value == ["second", "first"])
    withExtendedLifetime(stores) {}
  }

  @Test func waitForReturnsImmediatelyIfTheAwaitedStoreHasAlreadyReducedTheState() {
    dispatch { if $0 is ThirdStore { $0.wait(for: FirstStore.self) } }

    #expect(log.entries == ["FirstStore", "SecondStore", "ThirdStore"])
  }

  @Test func storeThatTwoStoresAwaitReducesTheStateOnce() {
    dispatch { if !($0 is ThirdStore) { $0.wait(for: ThirdStore.self) } }

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore"])
  }

  @Test func awaitedStoreThatWaitsForAThirdStoreReducesAfterTheThirdStore() {
    dispatch { [log] store in
      log.append("\(store.name) begins")
      if store is FirstStore { store.wait(for: SecondStore.self) }
      if store is SecondStore { store.wait(for: ThirdStore.self) }
    }

    #expect(
      log.entries == [
        "FirstStore begins", "SecondStore begins", "ThirdStore begins",
        "ThirdStore", "SecondStore", "FirstStore",
      ]
    )
  }

  @Test func waitForAParentStoreWaitsForItsLiveSubclassStore() {
    let stores = (FirstStore.instantiate(), SecondSubclassStore.instantiate())

    dispatch(to: stores) { if $0 is FirstStore { $0.wait(for: SecondStore.self) } }

    #expect(log.entries == ["SecondSubclassStore", "FirstStore"])
  }

  @Test func waitForIgnoresStoresThatAreNotRegisteredWithTheDispatcher() {
    let first = FirstStore.instantiate()
    let cleared = SecondStore.instantiate()
    cleared.clear()
    let foreign = ThirdStore.instantiate(on: Dispatcher())

    dispatch(to: (first, cleared, foreign)) { store in
      store.wait(for: SecondStore.self)
      store.wait(for: ThirdStore.self)
      store.wait(for: SecondSubclassStore.self)
    }

    #expect(log.entries == ["FirstStore"])
  }

  @Test func waitForIgnoresAStoreThatIsUnregisteredInTheSameReduce() {
    let stores = relayStores()

    dispatch(to: stores) { [third = stores.2] store in
      if store is FirstStore { third.clear() }
      store.wait(for: ThirdStore.self)
    }

    #expect(log.entries == ["FirstStore", "SecondStore"])
  }

  @Test func observersOfAnAwaitedStoreAreCalledAfterAllStoresHaveReduced() {
    let stores = relayStores()
    let dust = stores.2.number.observe(ignoreFirst: true) { [log] in log.append("told \($0)") }

    dispatch(to: stores) { store in
      if let third = store as? ThirdStore { third.number.value = 1 }
      if store is FirstStore { store.wait(for: ThirdStore.self) }
    }

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore", "told 1"])
    dust.clean()
  }

  /// If the store were freed inside the reduce, the state that its `deinit` invokes would be queued.
  @Test func awaitedStoreReleasedDuringAReduceIsFreedAfterTheReduceEnds() {
    let first = FirstStore.instantiate()
    let ending = Variable<EndingStore?>(EndingStore.instantiate())
    ending.value?.atEnd.value = AtEnd { [log] in
      dispatcher.dispatch(Relay.run { _ in log.append("invoked at the end") })
      log.append("end")
    }

    dispatch(to: first) { store in
      guard store is FirstStore else { return }
      store.wait(for: EndingStore.self)
      ending.value = nil
    }

    #expect(log.entries == ["EndingStore", "FirstStore", "invoked at the end", "end"])
  }
}

private final class EndingStore: RelayStore {
  typealias DispatchStateType = Relay

  let atEnd = Variable<AtEnd?>(nil)
}

private enum Empty: DispatchState {
  typealias RelatedStoreType = EmptyFirstStore

  case only
}

private final class EmptyFirstStore: Storable {
  let order = Variable<[String]>([])

  func reduce(with _: Empty) {
    waitFor(EmptySecondStore.self)
    order.value.append("first")
  }
}

private final class EmptySecondStore: Storable {
  private let first = EmptyFirstStore.instantiate()

  func reduce(with _: Empty) {
    first.order.value.append("second")
  }
}

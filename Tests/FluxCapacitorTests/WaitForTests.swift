import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise B7: `waitFor` lets another store reduce the current state first.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct WaitForTests {
  private let dispatcher = Dispatcher.shared
  private let log = Log<String>()

  @Test func waitForMakesTheAwaitedStoreReduceFirst() {
    let stores = relayStores()

    dispatcher.dispatch(
      Relay.run { [log] store in
        if store is FirstStore { store.wait(for: ThirdStore.self) }
        log.append(store.name)
      }
    )

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore"])
    withExtendedLifetime(stores) {}
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
    let stores = relayStores()

    dispatcher.dispatch(
      Relay.run { [log] store in
        if store is ThirdStore { store.wait(for: FirstStore.self) }
        log.append(store.name)
      }
    )

    #expect(log.entries == ["FirstStore", "SecondStore", "ThirdStore"])
    withExtendedLifetime(stores) {}
  }

  @Test func awaitedStoreThatWaitsForAThirdStoreReducesAfterTheThirdStore() {
    let stores = relayStores()

    dispatcher.dispatch(
      Relay.run { [log] store in
        log.append("\(store.name) begins")
        if store is FirstStore { store.wait(for: SecondStore.self) }
        if store is SecondStore { store.wait(for: ThirdStore.self) }
        log.append("\(store.name) ends")
      }
    )

    #expect(
      log.entries == [
        "FirstStore begins", "SecondStore begins", "ThirdStore begins",
        "ThirdStore ends", "SecondStore ends", "FirstStore ends",
      ]
    )
    withExtendedLifetime(stores) {}
  }

  @Test func storeThatTwoStoresAwaitReducesTheStateOnce() {
    let stores = relayStores()

    dispatcher.dispatch(
      Relay.run { [log] store in
        if !(store is ThirdStore) { store.wait(for: ThirdStore.self) }
        store.name == "FirstStore" ? store.wait(for: ThirdStore.self) : ()
        log.append(store.name)
      }
    )

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore"])
    withExtendedLifetime(stores) {}
  }

  @Test func waitForDuringOneStateDoesNotChangeTheOrderOfStoresForTheNextState() {
    let stores = relayStores()
    let waits = Relay.run { [log] store in
      if store is FirstStore { store.wait(for: SecondStore.self) }
      log.append(store.name)
    }
    let doesNot = Relay.run { [log] store in log.append(store.name) }

    for state in [waits, doesNot, waits] { dispatcher.dispatch(state) }

    let reordered = ["SecondStore", "FirstStore", "ThirdStore"]
    #expect(log.entries == reordered + ["FirstStore", "SecondStore", "ThirdStore"] + reordered)
    withExtendedLifetime(stores) {}
  }

  @Test func waitForAParentStoreWaitsForItsLiveSubclassStore() {
    let stores = (FirstStore.instantiate(), SecondSubclassStore.instantiate())

    dispatcher.dispatch(
      Relay.run { [log] store in
        if store is FirstStore { store.wait(for: SecondStore.self) }
        log.append(store.name)
      }
    )

    #expect(log.entries == ["SecondSubclassStore", "FirstStore"])
    withExtendedLifetime(stores) {}
  }

  @Test(arguments: [true, false])
  func waitForIgnoresAStoreThatIsNotRegistered(wasRegistered: Bool) {
    let first = FirstStore.instantiate()
    let third = wasRegistered ? ThirdStore.instantiate() : nil
    third?.clear()

    dispatcher.dispatch(
      Relay.run { [log] store in
        store.wait(for: ThirdStore.self)
        log.append(store.name)
      }
    )

    #expect(log.entries == ["FirstStore"])
    withExtendedLifetime((first, third)) {}
  }

  @Test func waitForIgnoresAStoreThatIsUnregisteredInTheSameReduce() {
    let stores = relayStores()

    dispatcher.dispatch(
      Relay.run { [log, third = stores.2] store in
        if store is FirstStore {
          third.clear()
          store.wait(for: ThirdStore.self)
        }
        log.append(store.name)
      }
    )

    #expect(log.entries == ["FirstStore", "SecondStore"])
    withExtendedLifetime(stores) {}
  }

  @Test func waitForIgnoresAStoreOfAnotherDispatcher() {
    let foreign = withDispatcher(Dispatcher()) { ThirdStore.instantiate() }
    let first = FirstStore.instantiate()

    dispatcher.dispatch(
      Relay.run { [log] store in
        store.wait(for: ThirdStore.self)
        log.append(store.name)
      }
    )

    #expect(log.entries == ["FirstStore"])
    withExtendedLifetime((first, foreign)) {}
  }

  @Test func stateInvokedBeforeWaitForIsReducedAfterTheCurrentState() {
    let stores = relayStores()
    let second = Relay.run { [log] store in log.append("\(store.name) again") }

    dispatcher.dispatch(
      Relay.run { [log] store in
        if store is FirstStore {
          Dispatcher().transaction { dispatcher.dispatch(second) }
          store.wait(for: ThirdStore.self)
        }
        log.append(store.name)
      }
    )

    #expect(
      log.entries == [
        "ThirdStore", "FirstStore", "SecondStore",
        "FirstStore again", "SecondStore again", "ThirdStore again",
      ]
    )
    withExtendedLifetime(stores) {}
  }

  @Test func observersOfAnAwaitedStoreAreCalledAfterAllStoresHaveReduced() {
    let stores = relayStores()
    let dust = stores.2.number.observe(ignoreFirst: true) { [log] in log.append("told \($0)") }

    dispatcher.dispatch(
      Relay.run { [log] store in
        if let third = store as? ThirdStore { third.number.value = 1 }
        if store is FirstStore { store.wait(for: ThirdStore.self) }
        log.append(store.name)
      }
    )

    #expect(log.entries == ["ThirdStore", "FirstStore", "SecondStore", "told 1"])
    dust.clean()
    withExtendedLifetime(stores) {}
  }

  /// If the store were freed inside the reduce, the state that its `deinit` invokes would be queued.
  @Test func awaitedStoreReleasedDuringAReduceIsFreedAfterTheReduceEnds() {
    let first = FirstStore.instantiate()
    let ending = Variable<EndingStore?>(EndingStore.instantiate())
    ending.value?.atEnd.value = AtEnd { [log] in
      dispatcher.dispatch(Relay.run { _ in log.append("invoked at the end") })
      log.append("end")
    }

    dispatcher.dispatch(
      Relay.run { [log] store in
        log.append(store.name)
        guard store is FirstStore else { return }
        store.wait(for: EndingStore.self)
        ending.value = nil
        log.append("goes on")
      }
    )

    #expect(
      log.entries == ["FirstStore", "EndingStore", "goes on", "invoked at the end", "end"]
    )
    withExtendedLifetime(first) {}
  }
}

private final class EndingStore: RelayStore {
  typealias DispatchStateType = Relay

  let atEnd = Variable<AtEnd?>(nil)
}

private enum Empty: DispatchState {
  typealias RelatedStoreType = EmptyFirstStore
  typealias RelatedActionType = EmptyAction

  case only
}

private struct EmptyAction: Actionable {
  typealias DispatchStateType = Empty
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

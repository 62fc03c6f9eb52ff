#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  final class PageStore: Storable {
    enum State: DispatchState { typealias RelatedStoreType = PageStore }

    nonisolated(unsafe) static var inInit: @Sendable () -> Void = {}

    init() { PageStore.inInit() }

    func reduce(with _: State) {}
  }

  private final class ReleasedStore: Storable {
    enum State: DispatchState { typealias RelatedStoreType = ReleasedStore }

    nonisolated(unsafe) static var held = Log<Bool>()
    private let released = Released(in: ReleasedStore.held)

    func reduce(with _: State) {}
  }

  private final class SiblingStore: Storable {
    func reduce(with _: ReleasedStore.State) {}
  }

  private final class QueryStore: Queryable {
    enum State: DispatchState { typealias RelatedStoreType = QueryStore }

    let queries = Queries<Int>()

    func reduce(with _: State) {}
    func activeQueriesDidChange(from _: Set<Int>, to _: Set<Int>) {}
  }

  /// V3: no thread delivers another thread's changes while it holds a lock: in the `init` of a store, in a transaction, or
  /// in a `modify`.
  @Suite(.serialized) struct ForeignChangeInterleavings {
    /// Whether a lock was held when a value of `ForeignReleaseInterleavings.swift` was released.
    let held = Log<Bool>()

    // MARK: Writing and instantiating in an init

    /// The `init` of a store writes 1. The observer acts on 2, which another thread writes.
    private func pages(in scenario: Scenario, _ act: @escaping @Sendable () -> Void) {
      let page = Variable(0)
      PageStore.inInit = { page.value = 1 }
      _ = page.observe(ignoreFirst: true) { if $0 == 2 { act() } }
      scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
      scenario.thread { page.value = 2 }
      scenario.keep(page)
    }

    @Test func observerOfAnotherThreadsChangeMayMakeATransaction() {
      explore { pages(in: $0) { Dispatcher.shared.transaction {} } }
    }

    @Test func observerOfAnotherThreadsChangeMayInstantiateAStore() {
      explore { pages(in: $0) { withExtendedLifetime(PageStore.instantiate()) {} } }
    }

    @Test func invokeOfAnObserverOfAnotherThreadsChangeReturnsAfterTheReduce() {
      explore { scenario in
        let (store, log) = (CounterStore.instantiate(), Log<Int>())
        pages(in: scenario) {
          CounterAction().invoke(.set(2))
          log.append(store.count.value)
        }
        scenario.keep(store)
        scenario.check { #expect(log.entries == [2]) }
      }
    }

    /// No thread waits for another thread's observers: the init doesn't use `number`.
    @Test func observerOfAnotherThreadsChangeDoesNotDeadlockInAnInit() {
      explore { scenario in
        let number = Variable(0)
        pages(in: scenario) { number.value += 1 }
        scenario.thread { number.modify { _ in withExtendedLifetime(PageStore.instantiate()) {} } }
        scenario.keep(number)
      }
    }

    /// The `init` of a store looks at a store that another thread releases, and then acts.
    private func exploreRelease(_ act: (Scenario) -> @Sendable () -> Void) {
      explore(isReduced: false) { scenario in
        let (held, act) = (Log<Bool>(), act(scenario))
        ReleasedStore.held = held
        PageStore.inInit = {
          _ = SiblingStore.instantiate()
          act()
        }
        let stores = Log(ReleasedStore.instantiate())
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { stores.removeAll() }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test func storeIsReleasedAfterTheInitOfAnotherStore() {
      exploreRelease { scenario in
        let other = Variable(0)
        scenario.keep(other)
        return { _ = other.observe { _ in } }
      }
    }

    @Test func storeIsNotReleasedUnderTheLockOfQueries() {
      exploreRelease { scenario in
        let queryable = QueryStore.instantiate()
        scenario.keep(queryable)
        return { _ = queryable.query(1) }
      }
    }

    // MARK: Observing in a modify, a transaction or a reduce

    /// `observeChanges` calls its closure only for changes, which the other thread makes.
    @Test func observerAddedInAModifyMayReadTheModifiedVariable() {
      explore { scenario in
        let (modified, other) = (Variable(0), Variable(0))
        scenario.thread {
          modified.modify { _ in _ = other.observeChanges { _, _ in _ = modified.value } }
        }
        scenario.thread { other.value = 1 }
        scenario.keep(modified, other)
      }
    }

    @Test func noLockIsHeldDuringCallsForAnotherThreadsChanges() {
      explore { scenario in
        let (other, held) = (Variable(0), Log<Int>())
        scenario.transaction { _ = other.observeChanges { _, _ in held.append(heldLocks.user) } }
        scenario.thread { other.value = 1 }
        scenario.keep(other)
        scenario.check { #expect(!held.entries.contains { $0 != 0 }) }
      }
    }

    /// D2: a write returns after the observers have been called, unless another thread is delivering.
    @Test func observerAddedInATransactionReceivesAnotherThreadsChangeBeforeItsEnd() {
      explore { scenario in
        let (other, log) = (Variable(0), Log<Int>())
        let phase = Log("before")
        scenario.transaction {
          _ = other.observe { log.append($0) }
          phase.append("observed")
          _ = other.value
          phase.append("ending")
        }
        scenario.thread {
          let isObserved = phase.last == "observed"
          other.value = 1
          if isObserved, phase.last == "observed" { #expect(log.entries == [0, 1]) }
        }
        scenario.keep(other)
        scenario.check { #expect(log.entries.last == 1) }
      }
    }

    /// D2: an invoke returns after the reduce.
    @Test func invokeOfAnObserverAddedInAReduceReturnsAfterTheReduce() {
      explore { scenario in
        let (other, log) = (Variable(0), Log<Int>())
        let store = CounterStore.instantiate()
        let first = FirstStore.instantiate()
        scenario.thread {
          dispatch { _ in
            _ = other.observeChanges { _, _ in
              CounterAction().invoke(.set(2))
              log.append(store.count.value)
            }
          }
        }
        scenario.thread { other.value = 1 }
        scenario.keep(other, store, first)
        scenario.check { #expect(!log.entries.contains(0)) }
      }
    }
  }
#endif

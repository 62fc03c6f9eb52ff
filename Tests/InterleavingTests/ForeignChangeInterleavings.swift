#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  private enum PageState: DispatchState {
    typealias RelatedStoreType = PageStore
    typealias RelatedActionType = Invoker<Self>
    case nothing
  }

  /// A store whose init writes an observed variable.
  private final class PageStore: Storable {
    typealias DispatchStateType = PageState
    nonisolated(unsafe) static var page = Variable(0)
    nonisolated(unsafe) static var inInit: @Sendable () -> Void = {}

    init() { PageStore.inInit() }

    func reduce(with _: PageState) {}
  }

  private enum NumberState: DispatchState {
    typealias RelatedStoreType = NumberStore
    typealias RelatedActionType = Invoker<Self>
    case set(Int)
  }

  private final class NumberStore: Storable {
    typealias DispatchStateType = NumberState
    let number = Variable(0)

    init() {}

    func reduce(with state: NumberState) {
      switch state {
      case .set(let number): self.number.value = number
      }
    }
  }

  private enum SharedState: DispatchState {
    typealias RelatedStoreType = ReleasedStore
    typealias RelatedActionType = Invoker<Self>
    case nothing
  }

  private final class ReleasedStore: Storable {
    typealias DispatchStateType = SharedState
    nonisolated(unsafe) static var held = Log<Bool>()
    private let released = Released(in: ReleasedStore.held)

    init() {}

    func reduce(with _: SharedState) {}
  }

  private final class SiblingStore: Storable {
    typealias DispatchStateType = SharedState

    init() {}

    func reduce(with _: SharedState) {}
  }

  private enum QueryState: DispatchState {
    typealias RelatedStoreType = QueryStore
    typealias RelatedActionType = Invoker<Self>
    case nothing
  }

  private final class QueryStore: Queryable {
    typealias DispatchStateType = QueryState
    let queries = Queries<Int>()

    init() {}

    func reduce(with _: QueryState) {}
    func activeQueriesDidChange(from _: Set<Int>, to _: Set<Int>) {}
  }

  /// V3: no thread delivers another thread's changes while it holds a lock: in the `init` of a store, in a transaction, or
  /// in a `modify`.
  @Suite(.serialized) struct ForeignChangeInterleavings {
    // MARK: Writing and instantiating in an init

    @Test func observerOfAnotherThreadsChangeMayMakeATransaction() {
      explore { scenario in
        let page = Variable(0)
        PageStore.inInit = { page.value = 1 }
        _ = page.observe(ignoreFirst: true) { if $0 == 2 { Dispatcher.shared.transaction {} } }
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { page.value = 2 }
        scenario.keep(page)
      }
    }

    @Test func observerOfAnotherThreadsChangeMayInstantiateAStore() {
      explore { scenario in
        let (page, kept) = (Variable(0), Log<PageStore>())
        PageStore.inInit = { page.value = 1 }
        _ = page.observe(ignoreFirst: true) { if $0 == 2 { kept.append(PageStore.instantiate()) } }
        scenario.thread { kept.append(PageStore.instantiate()) }
        scenario.thread { page.value = 2 }
        scenario.keep(page)
      }
    }

    @Test func invokeOfAnObserverOfAnotherThreadsChangeReturnsAfterTheReduce() {
      explore { scenario in
        let (page, log) = (Variable(0), Log<Int>())
        let store = NumberStore.instantiate()
        PageStore.inInit = { page.value = 1 }
        _ = page.observe(ignoreFirst: true) {
          if $0 == 2 {
            Dispatcher.shared.dispatch(NumberState.set(2))
            log.append(store.number.value)
          }
        }
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { page.value = 2 }
        scenario.keep(page, store)
        scenario.check { #expect(log.entries == [2]) }
      }
    }

    @Test func storeIsReleasedAfterTheInitOfAnotherStore() {
      explore(isReduced: false) { scenario in
        let held = Log<Bool>()
        ReleasedStore.held = held
        let other = Variable(0)
        PageStore.inInit = {
          _ = SiblingStore.instantiate()
          _ = other.observe { _ in }
        }
        let stores = Log(ReleasedStore.instantiate())
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { stores.removeAll() }
        scenario.keep(other)
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test func storeIsNotReleasedUnderTheLockOfQueries() {
      explore(isReduced: false) { scenario in
        let held = Log<Bool>()
        ReleasedStore.held = held
        let queryable = QueryStore.instantiate()
        PageStore.inInit = {
          _ = SiblingStore.instantiate()
          _ = queryable.query(1)
        }
        let stores = Log(ReleasedStore.instantiate())
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { stores.removeAll() }
        scenario.keep(queryable)
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    /// No thread waits for another thread's observers: the init doesn't use `number`.
    @Test func observerOfAnotherThreadsChangeDoesNotDeadlockInAnInit() {
      explore { scenario in
        let (page, number) = (Variable(0), Variable(0))
        PageStore.inInit = { page.value = 1 }
        _ = page.observe(ignoreFirst: true) { if $0 == 2 { number.value += 1 } }
        scenario.thread { withExtendedLifetime(PageStore.instantiate()) {} }
        scenario.thread { page.value = 2 }
        scenario.thread { number.modify { _ in withExtendedLifetime(PageStore.instantiate()) {} } }
        scenario.keep(page, number)
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

    /// D2: an invoke returns after the reduce.
    @Test func invokeOfAnObserverAddedInAReduceReturnsAfterTheReduce() {
      explore { scenario in
        let (other, log) = (Variable(0), Log<Int>())
        let store = NumberStore.instantiate()
        let first = FirstStore.instantiate()
        scenario.thread {
          dispatch { _ in
            _ = other.observeChanges { _, _ in
              Dispatcher.shared.dispatch(NumberState.set(2))
              log.append(store.number.value)
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

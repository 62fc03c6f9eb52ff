#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// R1, R2 and R5: each store type has one live store. One thread creates the store, and releasing the
  /// last reference frees the store.
  ///
  /// Because the scheduler can't switch threads at the read of a weak reference, scenarios that free a
  /// store explore every schedule.
  @Suite(.serialized)
  struct RegistryInterleavings {
    @Test func instantiateOnTwoThreadsCreatesOneStore() {
      explore { scenario in
        let (log, got) = (LoggedStore.beginLog(), Log<LoggedStore>())
        scenario.threads(1...2) { _ in got.append(.instantiate()) }
        scenario.check {
          let stores = got.entries
          #expect(stores.count == 2 && stores[0] === stores[1])
          dispatch(.log(1, in: log))
          #expect(log.entries == ["init", "logged 1"])
        }
      }
    }

    @Test func storeReleasedDuringItsReduceIsFreedOnceAfterTheReduce() {
      explore(isReduced: false) { scenario in
        let log = LoggedStore.beginLog()
        let held = Log(LoggedStore.instantiate())
        scenario.thread { dispatch(.log(1, in: log)) }
        scenario.thread { held.removeAll() }
        scenario.check {
          let logs = [["init", "logged 1", "deinit"], ["init", "deinit"]]
          #expect(logs.contains(log.entries))
        }
      }
    }

    /// The first thread dispatches a state to the store. The second thread releases the store during a
    /// transaction of the dispatcher that the store's deinit uses.
    @Test func deinitOfAStoreReleasedDuringADispatchCanUseAnotherDispatcherWithoutDeadlock() {
      explore(isReduced: false) { scenario in
        let (log, other) = (LoggedStore.beginLog(), Dispatcher())
        let store = LoggedStore.instantiate()
        store.onEnd = { other.transaction { log.append("end") } }
        let held = Log(store)
        scenario.thread { dispatch(.log(1, in: log)) }
        scenario.transaction(on: other) {
          held.removeAll()
          dispatch(.log(2, in: log))
        }
        scenario.check {
          let logs = [
            ["init", "logged 1", "end", "deinit"],
            ["init", "logged 1", "logged 2", "end", "deinit"],
            ["init", "end", "deinit"],
          ]
          #expect(logs.contains(log.entries))
        }
      }
    }

    /// The registry removes the freed store's registration, and must not remove a newer registration for
    /// the same type.
    @Test func newStoreStaysRegisteredWhenAFreedStoreOfItsTypeIsUnregistered() {
      explore(isReduced: false) { scenario in
        let log = LoggedStore.beginLog()
        let (held, got) = (Log(LoggedStore.instantiate()), Log<LoggedStore>())
        scenario.thread {
          held.removeAll()
          dispatch { _ in }
        }
        scenario.thread { got.append(.instantiate()) }
        scenario.keep(got)
        scenario.check {
          let before = log.entries
          dispatch(.log(1, in: log))
          #expect(log.entries == before + ["logged 1"])
        }
      }
    }

    /// The first thread's init waits for a store that the second thread creates. Then the second thread
    /// waits for the first thread's store.
    @Test func instantiateReportsNoCycleAfterAWaitForAStoreHasEnded() {
      explore { scenario in
        let (log, got) = (LoggedStore.beginLog(), Log<NestingStore>())
        scenario.thread { got.append(.instantiate()) }
        scenario.thread {
          let logged = LoggedStore.instantiate()
          got.append(.instantiate())
          withExtendedLifetime(logged) {}
        }
        scenario.check {
          let stores = got.entries
          #expect(stores.count == 2 && stores[0] === stores[1])
          #expect(log.entries == ["init"])
        }
      }
    }

    @Test func instantiationCycleOfTwoThreadsTrapsAndNamesTheTypes() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        explore { scenario in
          let (begun, got) = (HenStore.beginLog(), Log<any StepStore>())
          scenario.thread { got.append(HenStore.instantiate()) }
          scenario.thread { got.append(EggStore.instantiate()) }
          scenario.check { #expect(begun.entries.count == 2) }
        }
      }

      let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      for part in ["instantiate each other", "HenStore", "EggStore"] {
        #expect(sentence.contains(part))
      }
    }

    /// A reduce that instantiates a store waits for the store's init, so the init must not wait for the
    /// reduce.
    @Test func storesInitCanInvokeAStateWhileAReduceWaitsForTheStore() {
      explore { scenario in
        let (log, got) = (Log<String>(), Log<InvokingStore>())
        InvokingStore.log = log
        scenario.keep(FirstStore.instantiate())
        scenario.thread { got.append(.instantiate()) }
        scenario.thread { dispatch { if $0 is FirstStore { got.append(.instantiate()) } } }
        scenario.check {
          let stores = got.entries
          #expect(stores.count == 2 && stores[0] === stores[1])
          #expect(log.entries == ["first 1", "invoking 1"])
        }
      }
    }

    /// `instantiate()` on a parent type returns a registered subclass store, unless a parent store exists
    /// or is being created.
    @Test func twoThreadsInstantiateTheSameParentStoreWhileItsSubclassIsCreated() {
      explore { scenario in
        let (log, got, subclass) = (Log<String>(), Log<ParentStore>(), Log<ParentStore>())
        scenario.threads(1...2) { _ in got.append(ParentStore.instantiate()) }
        scenario.thread { subclass.append(SubclassStore.instantiate()) }
        scenario.check {
          let parents = got.entries
          #expect(parents[0] === parents[1])
          dispatch(.log(1, in: log))
          let isStandIn = parents[0] === subclass.entries[0]
          let names = isStandIn ? ["subclass 1"] : ["parent 1", "subclass 1"]
          #expect(log.entries.sorted() == names)
        }
      }
    }
  }

  /// A store that logs its init and its deinit.
  private final class LoggedStore: StepStore, @unchecked Sendable {
    typealias DispatchStateType = Step

    private nonisolated(unsafe) static var log = Log<String>()

    let name = "logged"
    var onEnd: () -> Void = {}
    private let log = LoggedStore.log

    static func beginLog() -> Log<String> {
      log = Log()
      return log
    }

    init() { log.append("init") }

    deinit {
      onEnd()
      log.append("deinit")
    }
  }

  private final class NestingStore: StepStore {
    typealias DispatchStateType = Step

    let name = "nesting"
    let logged = LoggedStore.instantiate()
  }

  /// A store that instantiates `EggStore`, if a second thread has begun to create an `EggStore`.
  private final class HenStore: StepStore {
    typealias DispatchStateType = Step

    fileprivate nonisolated(unsafe) static var begun = Log<String>()

    let name = "hen"

    static func beginLog() -> Log<String> {
      begun = Log()
      return begun
    }

    init() {
      HenStore.begun.append("hen")
      if HenStore.begun.entries.contains("egg") { _ = EggStore.instantiate() }
    }
  }

  private final class EggStore: StepStore {
    typealias DispatchStateType = Step

    let name = "egg"

    init() {
      HenStore.begun.append("egg")
      if HenStore.begun.entries.contains("hen") { _ = HenStore.instantiate() }
    }
  }

  private final class InvokingStore: StepStore {
    typealias DispatchStateType = Step

    nonisolated(unsafe) static var log = Log<String>()

    let name = "invoking"

    init() { dispatch(.log(1, in: InvokingStore.log)) }
  }

  private class ParentStore: StepStore, @unchecked Sendable {
    typealias DispatchStateType = Step

    var name: String { "parent" }

    required init() {}
  }

  private final class SubclassStore: ParentStore, @unchecked Sendable {
    override var name: String { "subclass" }
  }
#endif

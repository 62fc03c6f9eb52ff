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

    @Test(arguments: [false, true])
    func instantiationCycleOfTwoThreadsTrapsAndNamesTheTypes(onTwoDispatchers: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [onTwoDispatchers] in
        explore { scenario in
          let (begun, got) = (HenStore.beginLog(), Log<any StepStore>())
          HenStore.dispatcher = .shared
          EggStore.dispatcher = onTwoDispatchers ? Dispatcher() : .shared
          scenario.thread { got.append(HenStore.instantiate(on: HenStore.dispatcher)) }
          scenario.thread { got.append(EggStore.instantiate(on: EggStore.dispatcher)) }
          scenario.check { #expect(begun.entries.count == 2) }
        }
      }

      let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      for part in ["instantiate each other", "HenStore", "EggStore"] {
        #expect(sentence.contains(part))
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

  /// A store that instantiates `EggStore`, if a second thread has begun to create an `EggStore`.
  private final class HenStore: StepStore {
    typealias DispatchStateType = Step

    fileprivate nonisolated(unsafe) static var begun = Log<String>()
    fileprivate nonisolated(unsafe) static var dispatcher = Dispatcher.shared

    let name = "hen"

    static func beginLog() -> Log<String> {
      begun = Log()
      return begun
    }

    init() {
      HenStore.begun.append("hen")
      if HenStore.begun.entries.contains("egg") {
        _ = EggStore.instantiate(on: EggStore.dispatcher)
      }
    }
  }

  private final class EggStore: StepStore {
    typealias DispatchStateType = Step

    fileprivate nonisolated(unsafe) static var dispatcher = Dispatcher.shared

    let name = "egg"

    init() {
      HenStore.begun.append("egg")
      if HenStore.begun.entries.contains("hen") {
        _ = HenStore.instantiate(on: HenStore.dispatcher)
      }
    }
  }
#endif

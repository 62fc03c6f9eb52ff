#if DEBUG
  import FluxCapacitor
  import FluxCapacitorDebugging
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// V3: a history releases states and values when the thread holds no lock of the library.
  @Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
  struct ReleaseTests {
    private let store = CrateStore.instantiate()

    /// Whether the thread held a lock, for each object that was released.
    private let held = Log<Bool>()

    private func pack() { Dispatcher.shared.dispatch(Crate.pack(Released(in: held))) }

    @Test func eventBeyondTheLimitIsReleasedWithoutALock() {
      let circuits = TimeCircuits(limits: .init(count: 1))

      for _ in 1...3 { pack() }

      #expect(held.entries == [false])
      withExtendedLifetime(circuits) {}
    }

    @Test func undoneEventIsReleasedWithoutALockAfterANewDispatch() {
      let circuits = TimeCircuits()
      pack()
      circuits.undo()

      pack()

      #expect(held.entries == [false])
    }

    @Test func valuesThatAnUndoReplacesAreReleasedWithoutALock() {
      let circuits = TimeCircuits()
      pack()
      store.object.value = Released(in: held)
      store.objects[id: 1]?.object = Released(in: held)

      circuits.undo()

      #expect(held.entries == [false, false])
    }
  }

  private enum Crate: DispatchState {
    typealias RelatedStoreType = CrateStore

    case pack(Released)
  }

  private final class CrateStore: Storable {
    struct Item: Identifiable {
      let id: Int
      var object: Released
    }

    let object = Variable<Released?>(nil)
    let objects = VariableTable<Item>()

    func reduce(with state: Crate) {
      switch state {
      case .pack(let object):
        self.object.value = object
        objects[id: 1] = Item(id: 1, object: object)
      }
    }
  }
#endif

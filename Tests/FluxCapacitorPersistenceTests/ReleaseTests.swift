#if DEBUG
  import FluxCapacitor
  import FluxCapacitorDebugging
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// V3: a keeper releases stores, saved values and errors when the thread holds no lock of the library.
  @Suite(.isolatedDispatcher, .serialized, .timeLimit(.minutes(20)))
  struct ReleaseTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()

    /// Whether the thread held a lock, for each object that was released.
    private var held: Log<Bool> { GoodsStore.held }

    init() throws {
      folder = try TemporaryFolder()
      GoodsStore.current.withLock { $0 = Log() }
    }

    private func set(_ number: Int) { Dispatcher.shared.dispatch(Goods.set(number)) }

    @Test func valueBeforeATravelIsReleasedWithoutALock() throws {
      let circuits = TimeCircuits()
      let keeper = try Keeper(directory: folder.url, clock: clock, savesTimeTravel: false)
      let store = try keeper.open(GoodsStore.self)
      set(1)
      circuits.undo()
      let count = held.entries.count

      set(2)

      #expect(held.entries.count == count + 1)
      #expect(!held.entries.contains(true))
      withExtendedLifetime(store) {}
    }

    @Test func storeThatHasNotChangedIsReleasedWithoutALock() async throws {
      let keeper = try Keeper(directory: folder.url, clock: clock)
      var store: GoodsStore? = try keeper.open(GoodsStore.self)
      let count = held.entries.count
      Dispatcher.shared.transaction {}
      #expect(store.take() != nil)
      #expect(held.entries.count == count)

      try await keeper.flush()

      #expect(held.entries.count == count + 1)
      #expect(!held.entries.contains(true))
    }

    @Test func valueOfAFailedSaveIsReleasedWithoutALock() async throws {
      let keeper = try Keeper(directory: folder.url, clock: clock)
      let store = try keeper.open(GoodsStore.self)
      set(GoodsStore.Saved.unencodable)

      await #expect(throws: KeeperFailure.self) { try await keeper.flush() }

      #expect(!held.entries.isEmpty && !held.entries.contains(true))
      withExtendedLifetime(store) {}
    }

    @Test(arguments: [2, GoodsStore.Saved.refused])
    func valuesOfAFollowerAreReleasedWithoutALock(number: Int) async throws {
      let keeper = try Keeper(directory: folder.url, clock: clock)
      let store = try keeper.open(GoodsStore.self)
      set(1)
      try await keeper.flush()
      let dispatcher = Dispatcher()
      let follower = try Keeper(directory: folder.url, role: .following, dispatcher: dispatcher)
      let followed = try follower.open(GoodsStore.self)

      set(number)
      try await keeper.flush()
      try? await follower.flush()

      #expect(followed.number.value == (number == 2 ? 2 : 1))
      #expect(!held.entries.isEmpty && !held.entries.contains(true))
      withExtendedLifetime(store) {}
    }

    @Test func valueOfAFormerStoreIsReleasedWithoutALock() throws {
      let keeper = try Keeper(directory: folder.url, clock: clock)
      var store: GoodsStore? = try keeper.open(GoodsStore.self)
      #expect(store.take() != nil)

      store = try keeper.open(GoodsStore.self)

      #expect(!held.entries.isEmpty && !held.entries.contains(true))
    }

    @Test(arguments: [(2, GoodsStore.Saved.refused), (2, GoodsStore.Saved.undecodable), (1, 0)])
    func objectsOfAFailedOpenAreReleasedWithoutALock(version: Int, number: Int) throws {
      let text = #"{"format": 1, "version": \#(version), "saved": {"number": \#(number)}}"#
      try folder.write(text, to: "goods.json")
      let keeper = try Keeper(directory: folder.url, clock: clock)

      #expect(throws: KeeperFailure.self) { try keeper.open(GoodsStore.self) }
      let store = try keeper.open(GoodsStore.self) { _ in .startFresh }

      #expect(!held.entries.isEmpty && !held.entries.contains(true))
      withExtendedLifetime(store) {}
    }
  }

  private enum Goods: DispatchState {
    typealias RelatedStoreType = GoodsStore

    case set(Int)
  }

  private final class GoodsStore: Persistable {
    struct Saved: Codable {
      static let unencodable = 13
      static let undecodable = 14
      static let refused = 15

      var number: Int
      private let log: Log<Bool>
      private let released: Released

      init(number: Int, in log: Log<Bool>) {
        (self.number, self.log, released) = (number, log, Released(in: log))
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(Int.self, forKey: .number)
        if number == Saved.undecodable { throw Failure() }
        self.init(number: number, in: held)
      }

      func encode(to encoder: any Encoder) throws {
        if number == Saved.unencodable { throw Failure(in: log) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
      }

      private enum CodingKeys: CodingKey { case number }
    }

    struct Failure: Error {
      private let released: Released

      init(in log: Log<Bool> = held) { released = Released(in: log) }
    }

    static let archive = Archive(Saved.self, named: "goods", version: 2)
      .migrating(from: 1, Saved.self) { _ in throw Failure() }

    /// The log of the test that runs now. The tests run one after the other, but the keeper of a former test might still
    /// save a store, which has the former log.
    static let current = Guarded(Log<Bool>())

    static var held: Log<Bool> { current.withLock { $0 } }

    let number = Variable(0)

    /// A variable, because a store with another property counts as changed after each transaction.
    private let held = Variable(GoodsStore.held)

    deinit { _ = Released(in: held.value) }

    var saved: Saved { Saved(number: number.value, in: held.value) }

    func restore(_ saved: Saved) throws {
      if saved.number == Saved.refused { throw Failure() }
      number.value = saved.number
    }

    func reduce(with state: Goods) {
      switch state {
      case .set(let number): self.number.value = number
      }
    }
  }
#endif

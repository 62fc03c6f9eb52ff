#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting

  /// The objects of the schedule that runs now. Only one of its threads runs at a time, so no property needs a lock.
  nonisolated(unsafe) var world = World(Plan(), run: 0)

  /// The objects of one schedule of a plan, and what its threads do and see.
  final class World: @unchecked Sendable {
    let plan: Plan
    let run: Int
    let history: History

    // Values
    var nodes: [(any AnyNode)?] = []
    var variables: [Variable<Val>?] = []
    var table: VariableTable<Row>?
    var sinks: [Sink<Val>] = []
    var bag: DustBuster? = DustBuster()
    var bagCleanings = 0
    var watchers: [Watcher] = []
    var listeners: [Listener] = []
    var trackings: [Tracking] = []

    // Stores
    var dispatchers: [Dispatcher] = []
    var stores: [WorkStore] = []
    var held: [any RecordedStore] = []
    var records: [StoreRecord] = []
    var jobs: [Job] = []

    // Effects and sessions
    let clock = ManualClock()
    var effects: [(policy: Effects.Policy, effects: Effects)] = []
    var runs: [EffectRun] = []
    var awaiting: [(task: Task<Void, Never>, run: EffectRun)] = []
    var cancelling: [(effects: Int, isSuperseding: Bool)] = []
    var tasks: [Task<Void, Never>] = []
    var sessions: Sessions<Int, Session>?
    var openSessions: [Int: Session] = [:]
    var failingOpens = 0
    var shutDowns = 0

    // Keepers
    let disk = MemoryDisk()
    var keeper: Keeper?
    var keys: [Key] = []
    var followers: [(keeper: Keeper, on: Dispatcher, store: KeptNumber, key: Key, dust: Dust)] = []
    var failingCalls = 0
    var calls = 0
    var adds = 0
    var survivors: [(durable: [Int], numbers: [Int], disks: [MemoryDisk])] = []

    /// The number of values, stores and closures that exist.
    var liveObjects = 0
    private(set) var failure: String?

    /// Whether the last thread has ended the scenario, so that deinits do nothing more.
    var isOver = false

    var actionsAtEnd: [ObjectIdentifier: [Op]] = [:]

    init(_ plan: Plan, run: Int) {
      (self.plan, self.run) = (plan, run)
      history = History(plan)
    }

    func fail(_ sentence: String) { if failure == nil { failure = sentence } }

    // MARK: - Setup

    func setUp(_ scenario: Scenario) {
      dispatchers = (0..<plan.dispatchers).map { $0 == 0 ? .shared : Dispatcher() }
      stores = dispatchers.map { withDispatcher($0) { WorkStore.instantiate() } }
      for store in stores { store.record.registered = history.tick() }
      setUpValues()
      effects = (0..<plan.effects).map { makeEffects($0 + plan.firstPolicy) }
      if plan.hasSessions { sessions = makeSessions() }
      if plan.hasKeeper { setUpKeeper() }
      for op in plan.setup { perform(op) }
      for (index, ops) in plan.threads.enumerated() {
        let dispatcher = dispatchers[index % plan.dispatchers]
        let body = { @Sendable in withDispatcher(dispatcher) { ops.forEach(world.perform) } }
        plan.hasMain && index == 0 ? scenario.mainThread(body) : scenario.thread(nil, body)
      }
      scenario.lastThread { world.beginEnd() }
      // Effects that pause may begin other ones that pause.
      for _ in 1...4 { scenario.lastThread { world.clock.advance(by: .seconds(1_000)) } }
      scenario.lastThread { world.finish() }
      scenario.check { try world.check() }
    }

    // MARK: - Operations

    private static let operations: [Op.Kind: @Sendable (World) -> (Op) -> Void] = [
      .set: set, .modify: modify, .replaceAll: replaceAll, .read: read, .track: track, .drop: drop,
      .observe: observe, .clean: clean, .cleanBag: cleanBag, .send: send, .listen: listen,
      .transaction: transaction, .readTogether: readTogether, .reduce: reduce, .create: create,
      .letGo: letGo, .clear: clear, .runEffect: runEffect, .performEffect: performEffect,
      .cancelEffects: cancelEffects, .cancelTask: cancelTask, .advance: advance,
      .useSession: useSession, .cancelUse: cancelUse, .failOpen: failOpen, .shutDown: shutDown,
      .openKey: openKey, .add: add, .flush: flush, .closeKey: close, .letGoOfKey: letGoOfKey,
      .letGoOfKeeper: letGoOfKeeper, .failCall: failCall, .follow: follow,
    ]

    func perform(_ op: Op) {
      guard !isOver, mayPerform(op) else { return }
      guard let act = World.operations[op.kind] else { return fail("Nothing does \(op.name).") }
      let run = history.begin(op)
      act(self)(op)
      history.end(run)
      if run.wasAlone, failure == nil { checkDelivered(after: run) }
      history.place.releaseKept()
    }

    private func transaction(_ op: Op) { dispatcher(op).transaction { performBody(of: op) } }

    private func readTogether(_ op: Op) { dispatcher(op).read { performBody(of: op) } }

    private func performBody(of op: Op) {
      history.inBody(of: number(op)) { op.body.forEach(perform) }
    }

    private func advance(_: Op) { clock.advance(by: .seconds(1)) }

    /// Whether an operation is allowed where the thread is. Users must not nest mutations or dispatchers in two orders,
    /// use a variable inside its own mutation, or take a turn inside a mutation.
    private func mayPerform(_ op: Op) -> Bool {
      // During the setup, the library records no writes.
      if history.isInSetup { return [.observe, .listen].contains(op.kind) }
      let place = history.place
      let last = place.mutated.max() ?? -1
      func isFree(_ roots: [Int]) -> Bool { roots.allSatisfy { lock(of: $0) > last } }
      switch op.kind {
      case .transaction, .reduce, .readTogether:
        if op.kind != .reduce, !place.mutated.isEmpty { return false }
        return place.dispatchers.contains(number(op)) || number(op) > place.dispatchers.max() ?? -1
      case .set, .modify: return isFree([op.target % plan.roots.count])
      case .replaceAll: return isFree([plan.roots.count])
      case .read, .track, .observe:
        guard let node = node(op) else { return false }
        var leaves = node.leaves
        if case .combine(let other) = op.watch.derivation {
          leaves += nodes[other % nodes.count]?.leaves ?? []
        }
        return isFree(leaves.map(\.root))
      case .drop, .create, .add: return place.mutated.isEmpty
      case .letGo, .clear: return place.mutated.isEmpty && !held.isEmpty
      case .runEffect, .performEffect, .cancelEffects: return !effects.isEmpty
      default: return true
      }
    }

    /// The position of a root's lock in the order in which mutations may be nested. All rows have the table's lock.
    func lock(of root: Int) -> Int {
      root < plan.roots.count && plan.roots[root] != .row ? root : plan.roots.count
    }

    func number(_ op: Op) -> Int { op.target % dispatchers.count }

    func dispatcher(_ op: Op) -> Dispatcher { dispatchers[number(op)] }

    func node(_ op: Op) -> (any AnyNode)? { node(op.target % nodes.count) }

    /// A node, which another thread may drop meanwhile.
    func node(_ index: Int) -> (any AnyNode)? {
      history.place.keep(nodes[index] as Any)
      return nodes[index]
    }

    // MARK: - Releases

    func noteRelease(of object: Token) {
      liveObjects -= 1
      let held = heldLocks
      let isInLock = held.engine > 0 || held.user > 0 && object.isKept && !history.place.isLettingGo
      if isInLock { return fail("V3: a value is released under a lock of the library.") }
      guard let actions = actionsAtEnd.removeValue(forKey: ObjectIdentifier(object)) else { return }
      if !isOver, history.place.mutated.isEmpty { actions.forEach(perform) }
    }
  }
#endif

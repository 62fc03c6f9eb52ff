#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting

  /// A state, and what its reduce does.
  enum Work: DispatchState {
    typealias RelatedStoreType = WorkStore

    case run(Job)
  }

  final class Job: @unchecked Sendable {
    let op: Op

    /// The number of the job among all of a schedule. Observers of states and interceptors receive it.
    let number: Int
    let effect: EffectRun?
    private let token = Token()

    /// The time of the dispatch, and of the reduces of the first store.
    var begin = 0
    var reduceBegin = 0
    var end = Int.max

    /// The time at which the dispatch has returned, unless it was deferred.
    var returned = Int.max

    /// The numbers of the stores that have reduced the state, in their order.
    var stores: [Int] = []

    init(_ op: Op, by effect: EffectRun? = nil) {
      (self.op, self.effect) = (op, effect)
      number = world.jobs.count
    }
  }

  /// What the scenario knows of a store.
  final class StoreRecord: @unchecked Sendable {
    let kind: ObjectIdentifier
    let number: Int
    let dispatcher: Int
    /// The number of references that keep the store alive.
    var holders = 0

    /// The time at which the first call of `instantiate()` has returned the store.
    var registered = Int.max

    /// The times at which the store's unregistration or release begins, and at which it is over.
    var endBegins = Int.max
    var end = Int.max

    /// The thread that has ended the store, and the dispatcher in whose reduce the store was made.
    var endedIn: History.Place?
    var isMadeInReduce = false

    init(_ kind: any Storable.Type, in world: World) {
      self.kind = ObjectIdentifier(kind)
      number = world.records.count
      dispatcher = world.dispatchers.firstIndex { $0 === Dispatcher.shared } ?? 0
      world.records.append(self)
    }
  }

  /// A store that has a record.
  protocol RecordedStore: Storable where DispatchStateType == Work {
    var record: StoreRecord { get }
  }

  /// The store that exists from the beginning, and runs the jobs.
  final class WorkStore: RecordedStore {
    let record = StoreRecord(WorkStore.self, in: world)
    let first = Variable(Val([0]))
    let second = Variable(Val([0]))

    var variables: [Variable<Val>] { [first, second] }

    func reduce(with state: Work) { if case .run(let job) = state { world.reduce(job, in: self) } }
  }

  class BaseStore: RecordedStore, @unchecked Sendable {
    let record: StoreRecord
    private let token = Token()

    required init() { record = StoreRecord(Self.self, in: world) }

    func reduce(with state: Work) { world.note(state, in: self) }
  }

  final class ChildStore: BaseStore, @unchecked Sendable {
    /// Dispatches a state, which must wait for the end of the creation.
    required init() {
      super.init()
      let op = Op(kind: .reduce, target: record.dispatcher)
      if world.history.place.dispatchers.isEmpty { world.reduce(op) }
    }
  }

  /// A store that keeps another one, and lets it reduce first.
  final class PeerStore: RecordedStore {
    let record = StoreRecord(PeerStore.self, in: world)
    private let base = BaseStore.instantiate()

    init() { base.record.holders += 1 }

    deinit { world.release(base.record) }

    func reduce(with state: Work) {
      if case .run(let job) = state, job.op.payload % 2 == 1 {
        waitFor(BaseStore.self)
        let isDue = base.record.registered < job.begin && base.record.endBegins == .max
        if isDue, !job.stores.contains(base.record.number) { world.fail("`waitFor` ends early.") }
      }
      world.note(state, in: self)
    }
  }

  extension World {
    // MARK: - Reducing

    func reduce(_ op: Op) {
      let job = newJob(Job(op))
      dispatcher(op).dispatch(Work.run(job))
      if job.end < .max { job.returned = history.tick() }
    }

    func newJob(_ job: Job) -> Job {
      job.begin = history.now
      jobs.append(job)
      return job
    }

    fileprivate func reduce(_ job: Job, in store: WorkStore) {
      let number = store.record.dispatcher
      if history.place.reduces.contains(number) { fail("D3: a reduce runs inside a reduce.") }
      let isLate = job.effect.map(isSuperseded) ?? false
      if isLate { fail("B9: a state of a superseded effect is reduced.") }
      job.reduceBegin = history.tick()
      note(.run(job), in: store)
      let place = history.place
      place.reduces.append(number)
      place.job = job.number
      history.inBody(of: number) { job.op.body.forEach(perform) }
      place.job = nil
      place.reduces.removeLast()
      job.end = history.tick()
      for source in [Listener.Source.states(number), .events(number)] {
        history.noteEvent(job.number, of: source)
      }
    }

    fileprivate func note(_ state: Work, in store: some RecordedStore) {
      guard case .run(let job) = state else { return }
      let record = store.record
      let dispatcher = dispatchers[record.dispatcher]
      if Dispatcher.shared !== dispatcher { fail("A reduce sees another dispatcher.") }
      if job.stores.contains(record.number) { fail("R3: a store reduces a state twice.") }
      let hasEnded = record.end < (record.endedIn === history.place ? history.now : job.begin)
      if hasEnded { fail("R4: a store reduces a state after its end.") }
      job.stores.append(record.number)
      if job.op.watch.pauses { interleavingPoint() }
    }

    func checkJobs() {
      for job in jobs where job.end < .max {
        let missed = records.first {
          $0.dispatcher == job.op.target % dispatchers.count && !job.stores.contains($0.number)
            && $0.registered < ($0.isMadeInReduce ? job.reduceBegin : job.begin)
            && ($0.endBegins > job.returned || $0.endBegins == .max)
        }
        if let missed { fail("R3: store \(missed.number) misses the state of \(job.op.name).") }
      }
    }

    // MARK: - Creating

    func create(_ op: Op) {
      let dispatcher = op.payload % dispatchers.count
      let begin = history.now
      let kinds: [any RecordedStore.Type] = [BaseStore.self, ChildStore.self, PeerStore.self]
      let kind = kinds[op.target % kinds.count]
      let store: any RecordedStore = withDispatcher(dispatchers[dispatcher]) { kind.instantiate() }
      let record = store.record
      let end = history.tick()
      record.holders += 1
      if record.registered == .max {
        record.registered = end
        record.isMadeInReduce = history.place.reduces.contains(dispatcher)
      }
      if record.end < begin { fail("R2: `instantiate` returns a store after its end.") }
      let missed = jobs.first {
        $0.op.target % dispatchers.count == dispatcher && $0.begin > record.registered
          && $0.returned < begin && !$0.stores.contains(record.number)
      }
      if let missed { fail("R2: `instantiate` returns a store that missed \(missed.op.name).") }
      let older = records.first {
        $0 !== record && $0.dispatcher == dispatcher && $0.kind == ObjectIdentifier(kind)
          && $0.registered < begin && $0.endBegins > end
      }
      if let older { fail("R1: store \(record.number) is made although \(older.number) exists.") }
      held.append(store)
      history.place.keep(store)
    }

    func letGo(_ op: Op) {
      let store = held.remove(at: op.target % held.count)
      release(store.record)
    }

    fileprivate func release(_ record: StoreRecord) {
      record.holders -= 1
      if record.holders == 0 { record.endBegins = min(record.endBegins, history.now) }
    }

    func clear(_ op: Op) {
      let store = held[op.target % held.count]
      history.place.keep(store)
      let record = store.record
      let begin = history.tick()
      record.endBegins = min(record.endBegins, begin)
      store.clear()
      if record.registered < begin, record.end == .max {
        (record.end, record.endedIn) = (history.tick(), history.place)
      }
    }
  }
#endif

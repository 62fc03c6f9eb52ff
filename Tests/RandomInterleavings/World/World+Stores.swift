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
    let begin: Int

    /// The number of references that keep the store alive.
    var holders = 0

    /// The time at which the first call of `instantiate()` has returned the store.
    var registered = Int.max

    /// The times at which the store's unregistration or release begins, and at which it is over.
    var endBegins = Int.max
    var end = Int.max
    private let token = Token()

    init(_ kind: any Storable.Type, in world: World) {
      self.kind = ObjectIdentifier(kind)
      number = world.records.count
      dispatcher = world.dispatchers.firstIndex { $0 === Dispatcher.shared } ?? 0
      begin = world.history.tick()
      if world.unregistrations > 0, dispatcher == 1 { endBegins = begin }
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

    required init() { record = StoreRecord(Self.self, in: world) }

    func reduce(with state: Work) { world.note(state, in: self) }
  }

  final class ChildStore: BaseStore, @unchecked Sendable {}

  /// A store that keeps another one, and lets it reduce first.
  final class PeerStore: RecordedStore {
    let record = StoreRecord(PeerStore.self, in: world)
    private let base = BaseStore.instantiate()

    init() { base.record.holders += 1 }

    deinit { world.release(base.record) }

    func reduce(with state: Work) {
      if case .run(let job) = state, job.op.payload % 2 == 1 {
        waitFor(BaseStore.self)
        let isMissing = base.record.registered < job.begin && base.record.endBegins == .max
        if isMissing, !job.stores.contains(base.record.number) {
          world.fail("waitFor returns before store \(base.record.number) has reduced.")
        }
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
      if let effect = job.effect, isSuperseded(effect) {
        fail("B9: a state of the superseded effect \(effect.op.number) is reduced.")
      }
      job.reduceBegin = history.tick()
      note(.run(job), in: store)
      let place = history.place
      place.reduces.append(number)
      place.job = job.number
      history.inBody(of: number) { job.op.body.forEach(perform) }
      place.job = nil
      place.reduces.removeLast()
      job.end = history.tick()
      for source in [Listener.Source.states, .events] {
        history.noteEvent(job.number, of: source, number, inBody: false)
      }
    }

    fileprivate func note(_ state: Work, in store: some RecordedStore) {
      guard case .run(let job) = state else { return }
      let record = store.record
      if job.stores.contains(record.number) {
        fail("R3: store \(record.number) reduces a state twice.")
      }
      if record.end < job.begin {
        fail("R4: store \(record.number) reduces a state after its end.")
      }
      job.stores.append(record.number)
      if job.op.watch.pauses { interleavingPoint() }
    }

    func checkJobs() {
      for job in jobs where job.end < .max {
        let dispatcher = job.op.target % dispatchers.count
        for record in records
        where record.dispatcher == dispatcher && !job.stores.contains(record.number) {
          if record.registered < job.begin,
            record.endBegins > job.returned || record.endBegins == .max
          {
            return fail(
              "R3: store \(record.number) misses the state of \(job.op.kind) \(job.op.number)."
            )
          }
        }
      }
    }

    // MARK: - Creating

    func create(_ op: Op) {
      let dispatcher = op.payload % dispatchers.count
      let begin = history.now
      let kinds: [any RecordedStore.Type] = [BaseStore.self, ChildStore.self, PeerStore.self]
      let kind = kinds[op.target % kinds.count]
      let store = withDispatcher(dispatchers[dispatcher]) {
        kind.instantiate() as any RecordedStore
      }
      let record = store.record
      let end = history.tick()
      record.holders += 1
      record.registered = min(record.registered, end)
      if record.end < begin {
        fail("R2: `instantiate` returns store \(record.number) after its end.")
      }
      for other in records where other !== record && other.dispatcher == dispatcher {
        if other.kind == ObjectIdentifier(kind), other.registered < begin, other.endBegins > end {
          fail(
            "R1: `instantiate` returns store \(record.number) although store \(other.number) exists."
          )
        }
      }
      held.append(store)
    }

    func letGo(_ op: Op) {
      guard !held.isEmpty else { return }
      let store = held.remove(at: op.target % held.count)
      release(store.record)
    }

    fileprivate func release(_ record: StoreRecord) {
      record.holders -= 1
      if record.holders == 0 { record.endBegins = min(record.endBegins, history.now) }
    }

    func clear(_ op: Op) {
      guard !held.isEmpty else { return }
      let store = held[op.target % held.count]
      end(where: { $0 === store.record }) { store.clear() }
    }

    func unregisterAll() {
      let number = 1 % dispatchers.count
      guard number > 0 else { return }
      unregistrations += 1
      end(where: { $0.dispatcher == number }) { dispatchers[number].unregisterAll() }
      unregistrations -= 1
    }

    private func end(where isIncluded: (StoreRecord) -> Bool, _ body: () -> Void) {
      let begin = history.tick()
      for record in records where isIncluded(record) {
        record.endBegins = min(record.endBegins, begin)
      }
      body()
      let end = history.tick()
      for record in records where isIncluded(record) {
        // A store that another thread has created meanwhile may have ended too.
        record.endBegins = min(record.endBegins, begin)
        if record.registered < begin { record.end = min(record.end, end) }
      }
    }

    // MARK: - Queries

    func query(_ op: Op) { queryDusts.append((queried.query(op.target % 3), op.target % 3)) }

    func endQuery(_ op: Op) {
      guard !queryDusts.isEmpty else { return }
      let (dust, _) = queryDusts.remove(at: op.target % queryDusts.count)
      dust.clean()
    }

    func checkQueries() {
      let held = Set(queryDusts.map(\.query))
      if queried.last != held {
        fail("B8: the active queries are \(queried.last) instead of \(held).")
      }
    }
  }

  enum NoWork: DispatchState {
    typealias RelatedStoreType = QueriedStore
  }

  final class QueriedStore: Queryable, @unchecked Sendable {
    let queries = Queries<Int>()
    private(set) var last: Set<Int> = []
    private var isInCall = false

    func reduce(with _: NoWork) {}

    func activeQueriesDidChange(from old: Set<Int>, to new: Set<Int>) {
      if isInCall { world.fail("B8: two calls for active queries overlap.") }
      if old != last { world.fail("B8: the active queries change from \(old), but were \(last).") }
      isInCall = true
      interleavingPoint()
      (isInCall, last) = (false, new)
    }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting

  /// The order of all writes, commits and operations of a schedule, and what follows from it.
  final class History: Historian, @unchecked Sendable {
    /// An operation of a thread.
    final class Run {
      let op: Op
      let begin: Int
      fileprivate(set) var end = Int.max

      /// The writes that the operation has begun.
      var newWrites: [(root: Int, write: Int)] = []

      /// Whether no other thread was in an operation meanwhile.
      fileprivate(set) var wasAlone = false
      fileprivate let switches: Int

      fileprivate init(_ op: Op, at begin: Int, _ switches: Int) {
        (self.op, self.begin, self.switches) = (op, begin, switches)
      }
    }

    /// Writes that became changes in one step.
    struct Batch {
      let time: Int
      let run: Run?

      /// The change that a transaction has committed, or nil if each write was a change at once.
      fileprivate let change: Int?
      fileprivate(set) var writes: [Int: Int] = [:]

      /// Whether an observer began during the transaction, and waits for its end.
      fileprivate(set) var isAwaited = false
    }

    /// Where a thread is.
    final class Place {
      fileprivate var runs: [Run] = []

      /// The dispatchers of the thread's turns, and the locks of the variables that it is mutating.
      fileprivate(set) var dispatchers: [Int] = []
      fileprivate(set) var mutated: [Int] = []

      /// The time at which the thread's newest change began: a write, an event or a transaction that is in no other one.
      fileprivate(set) var change = 0

      /// The dispatchers of the thread's reduces, and the job that it reduces.
      var reduces: [Int] = []
      var job: Int?

      /// The effect that the thread runs.
      var effect: EffectRun?

      /// The number of observers that the thread is calling.
      var calls = 0

      /// The number of them that receive a change of an operation.
      var rounds = 0

      var run: Run? { runs.last }

      var isInBody: Bool { !dispatchers.isEmpty || !mutated.isEmpty }

      /// What the thread has made or read in a body. The thread keeps these objects until the operation of the body has ended,
      /// so what is released before, the library releases.
      private var kept: [Any] = []

      /// Whether the thread itself replaces or releases an object in a body.
      var isLettingGo: Bool { isInBody && [.set, .replaceAll, .letGo].contains(run?.op.kind) }

      func keep(_ object: Any) { if isInBody { kept.append(object) } }

      func releaseKept() {
        guard !isInBody else { return }
        let kept = kept
        self.kept = []
        withExtendedLifetime(kept) {}
      }
    }

    struct Write {
      let write: Int
      let time: Int
      let job: Int?

      /// The change to which the write belongs, and the time of the change's first write to the root.
      fileprivate let change: Int
      fileprivate let begin: Int
    }

    struct Event {
      let id: Int
      let source: Listener.Source
      let time: Int
      let place: Place
      fileprivate let change: Int
    }

    /// A call of an observer, and the times of the first writes to its roots, or of the event, in the change that it delivers.
    private struct Delivery {
      let observer: Endable
      let change: Int
      let times: [Int]

      /// Whether this call must come before another one. The order of values of one change is not specified.
      func mustPrecede(_ other: Delivery) -> Bool {
        if change != other.change { return change < other.change }
        let areValues = observer is Watcher && other.observer is Watcher
        return !areValues && (times.max() ?? 0) < (other.times.min() ?? 0)
      }
    }

    private(set) var now = 0
    private(set) var payloads: [Int] = [0]
    private(set) var batches: [Batch] = []

    private var places: [Int: Place] = [:]
    private var lastThread = 0
    private var switches = 0
    private var subscribing: [Watcher] = []

    private var roots: [ObjectIdentifier: Int] = [:]
    private let contents: Int
    private let hasOtherThreads: Bool
    private var writesOfContents: [[Int]: Int] = [:]

    /// The writes to each root.
    private(set) var written: [[Write]]

    /// The position of a write in the order of its root.
    private var positions: [Int: Int] = [:]

    /// The roots with a last write that waits for the end of a transaction, and the time of the first such write.
    private var pending: [Int: Int] = [:]

    private var events: [Event] = []

    /// The calls since the beginning of the last operation beside which no other thread was in one.
    private var deliveries: [Delivery] = []

    init(_ plan: Plan) {
      contents = plan.roots.count
      hasOtherThreads = plan.hasOtherThreads
      written = []
      for _ in 0...contents {
        written.append([Write(write: newWrite(payload: 0), time: 0, job: nil, change: 0, begin: 0)])
        positions[payloads.count - 1] = 0
      }
    }

    // MARK: - Time

    @discardableResult func tick() -> Int {
      let thread = currentThread
      if thread != lastThread { (lastThread, switches) = (thread, switches + 1) }
      now += 1
      return now
    }

    private var currentThread: Int { scheduledThread?.number ?? 0 }

    /// Where the current thread is.
    var place: Place {
      let place = places[currentThread] ?? Place()
      places[currentThread] = place
      return place
    }

    var isInSetup: Bool { currentThread == 0 }

    private var areOthersIdle: Bool {
      !hasOtherThreads && places.allSatisfy { $0.key == currentThread || $0.value.runs.isEmpty }
    }

    func begin(_ op: Op) -> Run {
      tick()
      beginChange()
      let mayBeAlone = areOthersIdle && place.runs.isEmpty && place.calls == 0
      if mayBeAlone { deliveries = [] }
      let run = Run(op, at: now, mayBeAlone ? switches : -1)
      place.runs.append(run)
      return run
    }

    func end(_ run: Run) {
      tick()
      place.runs.removeLast()
      (run.end, run.wasAlone) = (now, run.switches == switches)
      for (root, write) in run.newWrites where positions[write] == nil && root < contents {
        if world.nodes[root] != nil { world.fail("The write of \(run.op.name) is lost.") }
      }
      if place.runs.isEmpty, !pending.isEmpty, run.wasAlone {
        world.fail("The writes to \(pending.keys.sorted()) are no changes after \(run.op.name).")
      }
    }

    /// Runs the body of a reduce, a transaction or a read.
    func inBody(of dispatcher: Int, _ body: () -> Void) {
      let place = place
      let isTaken = places.values.contains { $0 !== place && $0.dispatchers.contains(dispatcher) }
      if isTaken { world.fail("D1: two bodies of dispatcher \(dispatcher) overlap.") }
      enter(dispatcher, in: \.dispatchers, body)
    }

    /// Releases what was kept for checks. The threads of the scenario have ended.
    func releaseKept() {
      for place in places.values { place.releaseKept() }
      deliveries = []
    }

    func inBody(ofMutation lock: Int, _ body: () -> Void) { enter(lock, in: \.mutated, body) }

    private typealias Locks = ReferenceWritableKeyPath<Place, [Int]>

    private func enter(_ lock: Int, in locks: Locks, _ body: () -> Void) {
      let place = place
      beginChange()
      place[keyPath: locks].append(lock)
      body()
      place[keyPath: locks].removeLast()
    }

    /// Begins a change, unless the thread is in a transaction.
    func beginChange() { if !place.isInBody { place.change = tick() } }

    // MARK: - Writes

    func know(_ channel: ObjectIdentifier, as root: Int) { roots[channel] = root }

    func firstWrite(to root: Int) -> Int { written[root][0].write }

    func newWrite(payload: Int) -> Int {
      payloads.append(payload)
      return payloads.count - 1
    }

    /// The write that stands for the contents of the table.
    func write(ofContents rows: [Row]) -> Int {
      let key = rows.flatMap { [$0.id.number] + $0.val.writes }
      if let write = writesOfContents[key] { return write }
      let isFirst = writesOfContents.isEmpty
      let write = isFirst ? firstWrite(to: contents) : newWrite(payload: payloads.count)
      writesOfContents[key] = write
      return write
    }

    func noteWrite(of value: Any, to channel: ObjectIdentifier, isCommitted: Bool, by thread: Int) {
      guard let root = roots[channel] else { return }
      let write: Int
      switch value {
      case let val as Val: write = val.writes[0]
      case let row as Row: write = row.val.writes[0]
      case let rows as [Row]: write = self.write(ofContents: rows)
      default: return
      }
      guard written[root].last?.write != write else { return }
      let (time, place) = (tick(), place)
      let begin = isCommitted ? time : pending[root] ?? time
      written[root].append(
        Write(write: write, time: time, job: place.job, change: place.change, begin: begin)
      )
      positions[write] = written[root].count - 1
      if isCommitted {
        batches.append(Batch(time: tick(), run: place.run, change: nil, writes: [root: write]))
      } else {
        pending[root] = begin
        for watcher in subscribing where watcher.leaves.contains(where: { $0.root == root }) {
          watcher.unsettled.insert(root)
        }
      }
    }

    func noteCommit(of channel: ObjectIdentifier, by thread: Int) {
      guard let root = roots[channel], pending[root] != nil else { return }
      let place = place
      if place.isInBody { world.fail("D4: root \(root) is committed too early.") }
      // A write to a root that nobody observes doesn't wait for the commit, and is a step by itself.
      let begun = batches.last { $0.change == place.change }
      if begun?.time != now {
        if begun != nil { world.fail("B1: a transaction is committed in two steps.") }
        batches.append(Batch(time: tick(), run: place.run, change: place.change))
      }
      let batch = batches.count - 1
      let write = written[root].last?.write
      // A write to a root that nobody observed then was a change at once.
      if batches.allSatisfy({ $0.writes[root] != write }) { batches[batch].writes[root] = write }
      pending[root] = nil
      for watcher in world.watchers where watcher.unsettled.remove(root) != nil {
        guard watcher.unsettled.isEmpty else { continue }
        batches[batch].isAwaited = true
        watcher.awaited = batches[batch]
      }
    }

    // MARK: - Subscriptions

    func beginObserving(_ watcher: Watcher) {
      watcher.begin = tick()
      watcher.wasAlone = areOthersIdle && place.runs.count == 1
      watcher.othersSince = places.values.compactMap(\.runs.first?.begin).min() ?? watcher.begin
      watcher.unsettled = Set(watcher.leaves.map(\.root)).intersection(pending.keys)
      subscribing.append(watcher)
    }

    func endObserving(_ watcher: Watcher) {
      watcher.end = tick()
      subscribing.removeAll { $0 === watcher }
    }

    // MARK: - Events

    /// Notes that an event is about to be sent, or that a job has been reduced.
    func noteEvent(_ id: Int, of source: Listener.Source) {
      events.append(Event(id: id, source: source, time: tick(), place: place, change: place.change))
    }

    /// The events of the listener's source, in order.
    func events(to listener: Listener) -> [Event] { events.filter { $0.source == listener.source } }

    // MARK: - The order of calls

    func noteCall(of watcher: Watcher, with writes: [Int]) {
      let roots = watcher.leaves.map(\.root)
      // After its first value, an observer may receive an older one that is equal.
      let newest = zip(writes, roots).compactMap { write, root in
        time(of: write) > watcher.begin ? written[root][position(write)].change : nil
      }.max()
      guard let newest else { return }
      let begins = roots.compactMap { written[$0].last { $0.change == newest }?.begin }
      deliveries.append(Delivery(observer: watcher, change: newest, times: begins))
    }

    /// Notes a call, and returns whether the event's transaction is still open. The events of interceptors don't wait for it,
    /// and come in front of all others.
    func noteCall(of listener: Listener, with id: Int) -> Bool {
      if case .events = listener.source { return false }
      guard let event = events.last(where: { $0.id == id && $0.source == listener.source }) else {
        return false
      }
      deliveries.append(Delivery(observer: listener, change: event.change, times: [event.time]))
      return event.place.isInBody && event.place.change == event.change
    }

    /// Two observers of which the first one was called too early, if no other thread was in an operation meanwhile.
    var misorder: (early: Endable, late: Endable)? {
      for (index, late) in deliveries.enumerated() {
        if let early = deliveries[..<index].first(where: late.mustPrecede) {
          return (early.observer, late.observer)
        }
      }
      return nil
    }

    // MARK: - Values

    /// The position of a write in the order of its root.
    func position(_ write: Int) -> Int { positions[write] ?? -1 }

    /// The time of a write.
    func time(of write: Int) -> Int { written.joined().first { $0.write == write }?.time ?? 0 }

    /// Whether a value contains two values of one root.
    func isMixed(_ writes: [Int], _ leaves: [Leaf]) -> Bool {
      leaves.enumerated().contains { index, leaf in
        zip(writes[..<index], leaves).contains { write, other in
          other.root == leaf.root
            && !areSame(write, writes[index], grain: max(leaf.grain, other.grain))
        }
      }
    }

    func areSame(_ one: Int, _ other: Int, grain: Int) -> Bool {
      grain == 0 ? one == other : payloads[one] / grain == payloads[other] / grain
    }

    /// Whether an observer of a node with such leaves may receive one value instead of another.
    func areSame(_ one: [Int], _ other: [Int], _ leaves: [Leaf]) -> Bool {
      leaves.indices.allSatisfy { areSame(one[$0], other[$0], grain: leaves[$0].grain) }
    }

    /// Whether a value is the value of its node for the roots' writes.
    func matches(_ writes: [Int], _ leaves: [Leaf], _ state: (Int) -> Int) -> Bool {
      areSame(writes, leaves.map { state($0.root) }, leaves)
    }

    /// The write to a root at a time.
    func write(to root: Int, at time: Int) -> Int {
      written[root].last { $0.time <= time }?.write ?? firstWrite(to: root)
    }

    /// Whether the variables had a value at a moment between a time and now.
    func wasCurrent(_ val: [Int], _ leaves: [Leaf], since begin: Int, until end: Int = .max) -> Bool
    {
      let times = leaves.flatMap { written[$0.root].map(\.time) }.filter { $0 > begin && $0 <= end }
      return ([begin] + times).contains { time in matches(val, leaves) { write(to: $0, at: time) } }
    }
  }
#endif

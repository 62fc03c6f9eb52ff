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

      /// The value that the operation has read, and the writes that it has begun.
      var writesRead: [Int]?
      var newWrites: [(root: Int, write: Int)] = []

      /// Whether no other thread was in an operation meanwhile.
      fileprivate(set) var wasAlone = false
      fileprivate let switches: Int

      fileprivate init(_ op: Op, at begin: Int, _ switches: Int) {
        (self.op, self.begin, self.switches) = (op, begin, switches)
      }
    }

    /// Writes that became changes in one step.
    final class Batch {
      let time: Int
      let thread: Int
      let run: Run?
      fileprivate(set) var writes: [Int: Int] = [:]

      /// Whether an observer began during the transaction, and waits for its end.
      fileprivate(set) var isAwaited = false

      /// The transaction that has committed the writes, unless each was a change at once.
      fileprivate let transaction: [Int?]

      fileprivate init(at time: Int, by thread: Int, in run: Run?, _ transaction: [Int?] = []) {
        (self.time, self.thread, self.run, self.transaction) = (time, thread, run, transaction)
      }
    }

    /// Where a thread is.
    final class Place {
      fileprivate let thread: Int
      fileprivate var runs: [Run] = []

      /// The dispatchers of the thread's turns, and the locks of the variables that it is mutating.
      fileprivate(set) var dispatchers: [Int] = []
      fileprivate(set) var mutated: [Int] = []

      /// The number of transactions that the thread has begun, not counting those in others.
      var transactions = 0

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

      fileprivate init(of thread: Int) { self.thread = thread }

      var isInBody: Bool { !dispatchers.isEmpty || !mutated.isEmpty }

      /// What the thread has made or read in a body. The thread keeps these objects until the operation of the body has ended,
      /// so what is released before, the library releases.
      private var kept: [Any] = []

      /// Whether the thread itself replaces or releases an object in a body.
      var isLettingGo: Bool { isInBody && letsGo }
      private var letsGo = false

      func whileLettingGo(_ letsGo: Bool, _ body: () -> Void) {
        let former = self.letsGo
        self.letsGo = letsGo
        body()
        self.letsGo = former
      }

      func keep(_ object: Any) { if isInBody { kept.append(object) } }

      func releaseKept() {
        guard !isInBody else { return }
        let kept = kept
        self.kept = []
        withExtendedLifetime(kept) {}
      }

      typealias Locks = ReferenceWritableKeyPath<Place, [Int]>

      fileprivate func enter(_ lock: Int, in locks: Locks, _ body: () -> Void) {
        if !isInBody { transactions += 1 }
        self[keyPath: locks].append(lock)
        body()
        self[keyPath: locks].removeLast()
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

    /// The writes to each root, with their times.
    private(set) var written: [[(time: Int, write: Int, job: Int?)]]

    /// The position of a write in the order of its root.
    private var positions: [Int: Int] = [:]

    /// The roots with a last write that waits for the end of a transaction.
    private var pending: Set<Int> = []

    struct Event {
      let id: Int
      let source: Listener.Source
      let time: Int
      fileprivate let place: Place
      fileprivate let body: Int?

      var thread: Int { place.thread }
    }

    private var events: [Event] = []

    init(_ plan: Plan) {
      contents = plan.roots.count
      hasOtherThreads = plan.hasOtherThreads
      written = []
      for _ in 0...contents {
        written.append([(0, newWrite(payload: 0), nil)])
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

    var place: Place {
      let thread = currentThread
      if let place = places[thread] { return place }
      let new = Place(of: thread)
      places[thread] = new
      return new
    }

    var isInSetup: Bool { currentThread == 0 }

    private var areOthersIdle: Bool {
      !hasOtherThreads && places.allSatisfy { $0.key == currentThread || $0.value.runs.isEmpty }
    }

    func begin(_ op: Op) -> Run {
      tick()
      let isOutermost = place.runs.isEmpty && place.calls == 0
      let run = Run(op, at: now, areOthersIdle && isOutermost ? switches : -1)
      place.runs.append(run)
      return run
    }

    func end(_ run: Run) {
      tick()
      place.runs.removeLast()
      run.end = now
      run.wasAlone = run.switches == switches
      for (root, write) in run.newWrites where positions[write] == nil && root < contents {
        if world.nodes[root] != nil { world.fail("The write of \(run.op.name) is lost.") }
      }
      if place.runs.isEmpty, !pending.isEmpty, run.wasAlone {
        world.fail("The writes to \(pending.sorted()) are no changes after \(run.op.name).")
      }
    }

    /// Runs the body of a reduce, a transaction or a read.
    func inBody(of dispatcher: Int, _ body: () -> Void) {
      let place = place
      let isTaken = places.values.contains { $0 !== place && $0.dispatchers.contains(dispatcher) }
      if isTaken { world.fail("D1: two bodies of dispatcher \(dispatcher) overlap.") }
      place.enter(dispatcher, in: \.dispatchers, body)
    }

    func releaseKept() { for place in places.values { place.releaseKept() } }

    func inBody(ofMutation lock: Int, _ body: () -> Void) { place.enter(lock, in: \.mutated, body) }

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
      let isFirst = written[contents].count == 1 && writesOfContents.isEmpty
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
      written[root].append((tick(), write, places[thread]?.job))
      positions[write] = written[root].count - 1
      if isCommitted {
        batches.append(Batch(at: tick(), by: thread, in: places[thread]?.run))
        batches.last?.writes[root] = write
      } else {
        pending.insert(root)
        for watcher in subscribing where watcher.leaves.contains(where: { $0.root == root }) {
          watcher.unsettled.insert(root)
        }
      }
    }

    func noteCommit(of channel: ObjectIdentifier, by thread: Int) {
      guard let root = roots[channel], pending.contains(root) else { return }
      if places[thread]?.isInBody == true { world.fail("D4: root \(root) is committed too early.") }
      // A write to a root that nobody observes doesn't wait for the commit, and is a step by itself.
      let joins = batches.last.map {
        $0.time == now && $0.thread == thread && !$0.transaction.isEmpty
      }
      if !(joins ?? false) {
        let place = places[thread]
        let transaction = [thread, place?.transactions, place?.run?.begin]
        let isSecond = batches.contains { $0.transaction == transaction }
        if isSecond { world.fail("B1: a transaction is committed in two steps.") }
        batches.append(Batch(at: tick(), by: thread, in: place?.run, transaction))
      }
      commit(root)
    }

    private func commit(_ root: Int) {
      let write = written[root].last?.write
      // A write to a root that nobody observed then was a change at once.
      if batches.allSatisfy({ $0.writes[root] != write }) { batches.last?.writes[root] = write }
      pending.remove(root)
      for watcher in world.watchers where watcher.unsettled.remove(root) != nil {
        guard watcher.unsettled.isEmpty else { continue }
        watcher.awaited = batches.last
        batches.last?.isAwaited = true
      }
    }

    // MARK: - Subscriptions

    func beginObserving(_ watcher: Watcher) {
      watcher.begin = tick()
      watcher.wasAlone = areOthersIdle && place.runs.count == 1
      watcher.othersSince = places.values.compactMap(\.runs.first?.begin).min() ?? watcher.begin
      watcher.unsettled = pending.intersection(watcher.leaves.map(\.root))
      subscribing.append(watcher)
    }

    func endObserving(_ watcher: Watcher) {
      watcher.end = tick()
      subscribing.removeAll { $0 === watcher }
    }

    // MARK: - Events

    /// Notes that an event is about to be sent, or that a job has been reduced.
    func noteEvent(_ id: Int, of source: Listener.Source, inBody isInBody: Bool) {
      let (time, place) = (tick(), place)
      let body = isInBody ? place.transactions : nil
      events.append(Event(id: id, source: source, time: time, place: place, body: body))
    }

    /// The events of the listener's source, in order.
    func events(to listener: Listener) -> [Event] { events.filter { $0.source == listener.source } }

    /// Returns what is wrong if an event is delivered before its transaction has ended.
    func prematureEvent(_ id: Int, of source: Listener.Source) -> String? {
      let event = events.last { $0.id == id && $0.source == source }
      let isOpen = event.map { $0.place.isInBody && $0.place.transactions == $0.body }
      return isOpen == true ? "D4: event \(id) is delivered in its transaction." : nil
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
          guard other.root == leaf.root else { return false }
          let isSame = payloads[write] == payloads[writes[index]]
          return leaf.isSettled || other.isSettled ? !isSame : write != writes[index]
        }
      }
    }

    /// Whether a value is the value of its node for the roots' writes.
    func matches(_ writes: [Int], _ leaves: [Leaf], _ state: (Int) -> Int) -> Bool {
      zip(writes, leaves).allSatisfy { write, leaf in
        let right = state(leaf.root)
        return leaf.isSettled ? payloads[write] == payloads[right] : write == right
      }
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

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

      /// The value that the operation has read.
      var writesRead: [Int]?

      /// Whether the thread was in no other operation.
      let isOutermost: Bool

      /// Whether no other thread was in an operation meanwhile.
      fileprivate(set) var wasAlone = false
      fileprivate let switches: Int

      fileprivate init(_ op: Op, at begin: Int, _ isOutermost: Bool, _ switches: Int) {
        (self.op, self.begin, self.isOutermost, self.switches) = (op, begin, isOutermost, switches)
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

      fileprivate init(at time: Int, by thread: Int, in run: Run?) {
        (self.time, self.thread, self.run) = (time, thread, run)
      }
    }

    /// Where a thread is.
    final class Place {
      fileprivate var runs: [Run] = []

      /// The dispatchers of the thread's turns, and the locks of the variables that it is mutating.
      fileprivate(set) var dispatchers: [Int] = []
      fileprivate(set) var mutated: [Int] = []

      /// The number of bodies that the thread has been in, not counting bodies in others.
      fileprivate var outermostBodies = 0

      /// The dispatchers of the thread's reduces, and the job that it reduces.
      var reduces: [Int] = []
      var job: Int?

      /// The effect that the thread runs.
      var effect: EffectRun?

      /// The number of observers that the thread is calling.
      var calls = 0

      var run: Run? { runs.last }

      var isInBody: Bool { !dispatchers.isEmpty || !mutated.isEmpty }

      fileprivate func enter(
        _ lock: Int,
        in locks: ReferenceWritableKeyPath<Place, [Int]>,
        _ body: () -> Void
      ) {
        if !isInBody { outermostBodies += 1 }
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
      let number: Int
      let thread: Int
      let time: Int
      fileprivate let place: Place
      fileprivate let body: Int?
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
      let new = Place()
      places[thread] = new
      return new
    }

    var isInSetup: Bool { currentThread == 0 }

    private var areOthersIdle: Bool {
      let thread = currentThread
      return !hasOtherThreads && places.allSatisfy { $0.key == thread || $0.value.runs.isEmpty }
    }

    func begin(_ op: Op) -> Run {
      tick()
      let isOutermost = place.runs.isEmpty && place.calls == 0
      let run = Run(op, at: now, isOutermost, areOthersIdle && isOutermost ? switches : -1)
      place.runs.append(run)
      return run
    }

    func end(_ run: Run) {
      tick()
      place.runs.removeLast()
      run.end = now
      run.wasAlone = run.switches == switches
      if place.runs.isEmpty, !pending.isEmpty, run.wasAlone {
        world.fail(
          "The writes to \(pending.sorted()) are no changes after \(run.op.kind) \(run.op.number) has ended."
        )
      }
    }

    /// Runs the body of a reduce, a transaction or a read.
    func inBody(of dispatcher: Int, _ body: () -> Void) {
      let place = place
      if places.contains(where: { $0.value !== place && $0.value.dispatchers.contains(dispatcher) })
      {
        world.fail("D1: two reduces, transactions or reads of dispatcher \(dispatcher) overlap.")
      }
      place.enter(dispatcher, in: \.dispatchers, body)
    }

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
      let write =
        written[contents].count == 1 && writesOfContents.isEmpty
        ? firstWrite(to: contents) : newWrite(payload: payloads.count)
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
      if places[thread]?.isInBody ?? false {
        world.fail("D4: a transaction commits root \(root) before its end.")
      }
      if batches.last?.time != now || batches.last?.thread != thread {
        batches.append(Batch(at: tick(), by: thread, in: places[thread]?.run))
      }
      commit(root)
    }

    private func commit(_ root: Int) {
      let write = written[root].last?.write
      // A write to a root that nobody observed then was a change at once.
      if !batches.contains(where: { $0.writes[root] == write }) { batches.last?.writes[root] = write }
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
      watcher.unsettled = pending.intersection(watcher.leaves.map(\.root))
      subscribing.append(watcher)
    }

    func endObserving(_ watcher: Watcher) {
      watcher.end = tick()
      subscribing.removeAll { $0 === watcher }
    }

    // MARK: - Events

    /// Notes that an event is about to be sent, or that a job has been reduced.
    func noteEvent(_ event: Int, of source: Listener.Source, _ number: Int, inBody isInBody: Bool) {
      let place = place
      events.append(
        Event(
          id: event,
          source: source,
          number: number,
          thread: currentThread,
          time: tick(),
          place: place,
          body: isInBody ? place.outermostBodies : nil
        )
      )
    }

    /// The events of the listener's source, in order.
    func events(to listener: Listener) -> [Event] {
      events.filter { $0.source == listener.source && $0.number == listener.number }
    }

    /// Returns what is wrong if an event is delivered before its transaction has ended.
    func prematureEvent(_ id: Int, of source: Listener.Source) -> String? {
      let event = events.last { $0.id == id && $0.source == source }
      guard let event, event.place.isInBody, event.place.outermostBodies == event.body else {
        return nil
      }
      return "D4: event \(id) is delivered before its transaction has ended."
    }

    // MARK: - Values

    /// The position of a write in the order of its root.
    func position(_ write: Int) -> Int { positions[write] ?? -1 }

    /// The time of a write.
    func time(of write: Int) -> Int {
      written.lazy.flatMap(\.self).first { $0.write == write }?.time ?? 0
    }

    /// Whether a value contains two values of one root.
    func isMixed(_ writes: [Int], _ leaves: [Leaf]) -> Bool {
      for (index, leaf) in leaves.enumerated() {
        for (other, otherLeaf) in leaves[..<index].enumerated() where otherLeaf.root == leaf.root {
          let isSettled = leaf.isSettled || otherLeaf.isSettled
          let isSame =
            isSettled
            ? payloads[writes[index]] == payloads[writes[other]] : writes[index] == writes[other]
          if !isSame { return true }
        }
      }
      return false
    }

    /// Whether a value is the value of its node for the roots' writes.
    func matches(_ writes: [Int], _ leaves: [Leaf], _ state: (Int) -> Int) -> Bool {
      for (write, leaf) in zip(writes, leaves) {
        let right = state(leaf.root)
        if leaf.isSettled ? payloads[write] != payloads[right] : write != right { return false }
      }
      return true
    }

    /// The write to a root at a time.
    func write(to root: Int, at time: Int) -> Int {
      written[root].last { $0.time <= time }?.write ?? firstWrite(to: root)
    }

    /// Whether the variables had a value at a moment between a time and now.
    func wasCurrent(_ writes: [Int], _ leaves: [Leaf], since begin: Int, until end: Int = .max)
      -> Bool
    {
      var times: Set<Int> = [begin]
      for leaf in leaves {
        for (time, _, _) in written[leaf.root] where time > begin && time <= end {
          times.insert(time)
        }
      }
      return times.contains { time in matches(writes, leaves) { write(to: $0, at: time) } }
    }
  }
#endif

#if DEBUG
  import FluxCapacitor

  /// What `DustBuster`s, cleaning operations and the end of the scenario end.
  class Endable: CustomStringConvertible, @unchecked Sendable {
    let op: Op
    let dispatcher = Dispatcher.shared
    var dust: Dust?
    var task: Task<Void, Never>?

    /// Whether the bag contains the Dust or the task, or a thread is putting it there.
    var isForBag = false
    var isInBag = false
    var isInCall = false

    /// Whether the task has ended.
    var hasEnded = false

    /// Whether the observation ends when its variable, row or sink is released.
    var endsWithItsSource = false

    // The times of the subscription and of its end.
    var begin = 0
    var end = Int.max
    var cleanBegin: Int?
    var cleanEnd: Int?

    var description: String { "observer \(op.number)" }

    init(_ op: Op) { self.op = op }
  }

  /// An observer of a value, and the values that it has received.
  final class Watcher: Endable, @unchecked Sendable {
    typealias Call = @Sendable (Val) -> Void

    let leaves: [Leaf]
    var calls: [[Int]] = []

    /// The object of a scoped observation. The observation ends with it, and frees its closure at the next change.
    var target: Token?
    var scope: Dust?

    /// The roots with a write of an open transaction, of those that had one during the subscription.
    var unsettled: Set<Int> = []

    /// The commit that has settled the last of these roots.
    var awaited: History.Batch?

    /// The beginning of the first operation that was in progress when the subscription began. An operation that delivers
    /// changes keeps the nodes active that have lost their observers meanwhile.
    var othersSince = 0

    /// Whether no other thread was in an operation during the subscription, and this thread in no observer.
    var wasAlone = false

    init(_ op: Op, _ leaves: [Leaf]) {
      self.leaves = leaves
      super.init(op)
    }

    var style: Watch.Style { op.watch.style }

    var ignoresFirst: Bool { style == .changes || style == .plain && op.watch.ignoresFirst }
  }

  /// An observer of a signal or of a dispatcher's states, or an interceptor.
  final class Listener: Endable, @unchecked Sendable {
    /// A sink, or the states or events of a dispatcher, with its number.
    enum Source: Equatable { case sink(Int), states(Int), events(Int) }

    let source: Source
    var events: [Int] = []

    init(_ op: Op, to source: Source) {
      self.source = source
      super.init(op)
    }
  }

  /// A read that the Observation framework tracks.
  final class Tracking: @unchecked Sendable {
    let leaves: [Leaf]
    var installed = Int.max
    var hasFired = false

    /// The writes that a body on the main queue has seen, one for each leaf. Such a body misses no later change.
    var seenOnMain: [Int] = []

    init(_ leaves: [Leaf]) { self.leaves = leaves }
  }

  /// An object of the user that notes its release: what a closure captures, or a part of a value or a store. Its
  /// properties never change.
  class Token: @unchecked Sendable {
    /// Whether the thread that makes the object in a body keeps it until the end of the body.
    let isKept: Bool
    private let run: Int

    init(isKept: Bool = true) {
      self.isKept = isKept
      run = world.run
      world.liveObjects += 1
      if isKept { world.history.place.keep(self) }
    }

    deinit { if world.run == run { world.noteRelease(of: self) } }
  }
#endif

#if DEBUG
  /// A scenario as data: what the setup and each thread do.
  struct Plan: Sendable {
    enum Root: Sendable { case variable, stored, row }

    var roots: [Root] = []

    /// Operations with watches that derive constants.
    var derivations: [Op] = []
    var dispatchers = 1
    var sinks = 0
    var effects = 0

    /// The policy of the first effects. The others have the next policies.
    var firstPolicy = 0

    /// Whether sessions are kept open for a while after their last use.
    var hasIdleTime = false
    var hasSessions = false
    var hasKeeper = false
    var setup: [Op] = []
    var threads: [[Op]] = []

    /// Whether the first thread is the main queue's.
    var hasMain = false

    /// The number of changes of other threads after which a thread offers a handover, if it isn't the usual one.
    var changesBeforeHandover: Int?

    /// The roots that are rows of the table.
    var rows: [Int] { roots.indices.filter { roots[$0] == .row } }

    /// The number of variables, rows and derived constants, and the table's rows as a whole.
    var nodeCount: Int { roots.count + derivations.count + (rows.isEmpty ? 0 : 1) }

    /// Whether blocks and tasks run beside the threads.
    var hasOtherThreads: Bool {
      func isAsync(_ op: Op) -> Bool {
        op.watch.queue != .current || op.watch.style == .loop || op.body.contains(where: isAsync)
      }
      return hasMain || effects > 0 || hasSessions || hasKeeper
        || (setup + threads.joined()).contains(where: isAsync)
    }

    /// Gives each operation its own number.
    mutating func number() {
      var last = 0
      func number(_ ops: inout [Op]) {
        for index in ops.indices {
          last += 1
          ops[index].number = last
          number(&ops[index].body)
        }
      }
      number(&setup)
      for index in threads.indices { number(&threads[index]) }
    }
  }

  /// Something that a thread does. The numbers count modulo the number of objects of their kind, so an operation stays
  /// valid while the plan is shrunk.
  struct Op: Sendable {
    enum Kind: String, Sendable {
      case derive, set, modify, replaceAll, read, track, drop, observe, clean, cleanBag, send
      case listen, transaction, readTogether, reduce
      case create, letGo, clear
      case runEffect, performEffect, cancelEffects, cancelTask, advance
      case useSession, cancelUse, failOpen, shutDown
      case openKey, add, flush, closeKey, letGoOfKey, letGoOfKeeper, failCall, follow
    }

    var kind = Kind.set
    var target = 0
    var payload = 0
    var watch = Watch()

    /// What the closure of this operation does: a transaction, an observer, or the deinit of a written value.
    var body: [Op] = []

    /// The number of this operation in its plan, which is the name of its observer.
    var number = 0

    var name: String { "\(kind) \(number)" }
  }

  /// How an operation observes.
  struct Watch: Sendable {
    enum Style: Sendable { case plain, changes, scope, loop }
    enum Queue: Sendable { case current, main, own }
    /// `distinct` has the grain of `removeDuplicates`. See `Leaf`.
    enum Derivation: Equatable, Sendable { case none, map, distinct(Int), combine(Int) }

    var style = Style.plain
    var queue = Queue.current
    var ignoresFirst = false

    /// What is derived on the spot.
    var derivation = Derivation.none

    /// The number of calls that run the operation's body.
    var activeCalls = 1

    /// Whether other threads can run in the middle of a call.
    var pauses = false
    var isInBag = false
  }
#endif

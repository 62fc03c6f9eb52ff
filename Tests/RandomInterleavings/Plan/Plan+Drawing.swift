#if DEBUG
  import FluxCapacitorTesting

  /// What the threads of a plan like to do. Uniform drawing finds little: most faults need a pattern, such as one thread
  /// that writes, one that observes again and again, and one that reads.
  struct Theme {
    typealias Weights = [Op.Kind: Int]

    let name: String

    /// How often the theme is drawn.
    var share = 1
    var roots = 1...3
    var rows = 0
    var derivations = 0...4
    var dispatchers = 1...2
    var sinks = 0...1
    var setup = 0...3
    var stored = 20
    var effects = 0...0

    /// The weights of each thread's operations.
    var threads: [Weights]

    /// The weights of the operations of closures.
    var bodies: Weights = [
      .set: 6, .modify: 1, .read: 2, .send: 1, .observe: 1, .clean: 1, .reduce: 1,
    ]
    var bodyOps = 0...2

    /// Percentages.
    var handovers = 0
    var activeObservers = 15
    var activeValues = 0
    var otherQueues = 10
    var inBag = 15

    /// The number of operations of a thread.
    var ops = 1...3

    static let writing: Weights = [.set: 6, .modify: 2, .transaction: 3, .reduce: 2]
    static let watching: Weights = [.observe: 5, .clean: 4, .set: 1, .read: 1]
    static let reading: Weights = [.read: 6, .track: 1, .readTogether: 1]
    static let anything: Weights = [
      .set: 6, .modify: 2, .transaction: 3, .reduce: 3, .readTogether: 1, .read: 3, .track: 1,
      .observe: 4, .clean: 3, .drop: 1, .send: 2, .listen: 1,
    ]

    // Each theme is a row of a table.
    // swift-format-ignore
    static let all: [Theme] = [
      Theme(name: "anything", threads: [anything, anything, anything]),
      Theme(name: "reactivation", share: 2, roots: 1...2, derivations: 2...4, sinks: 0...0, threads: [writing, watching, reading]),
      Theme(name: "subscription", roots: 2...3, derivations: 1...3, sinks: 0...0, setup: 1...2,
        threads: [[.transaction: 3, .reduce: 1, .modify: 1], [.observe: 3, .set: 3]], bodies: [.set: 1, .modify: 1]),
      Theme(name: "rows", share: 2, roots: 0...1, rows: 2, derivations: 1...3, sinks: 0...0,
        threads: [[.set: 4, .modify: 3, .replaceAll: 2, .transaction: 1], watching, [.set: 2, .replaceAll: 1, .observe: 2, .read: 2]]),
      Theme(name: "sinks", roots: 1...1, derivations: 0...1, sinks: 1...2,
        threads: [[.send: 4, .transaction: 3, .reduce: 1], [.send: 3, .transaction: 2, .listen: 1], [.listen: 2, .clean: 1, .send: 1]],
        bodies: [.send: 5, .set: 1], bodyOps: 1...3),
      Theme(name: "handover", share: 2, roots: 1...2, derivations: 0...2, setup: 1...3, threads: [writing, writing, writing],
        handovers: 100, activeObservers: 30),
      Theme(name: "deinits", share: 2, derivations: 0...3, sinks: 1...1, threads: [anything, [.set: 5, .modify: 2, .transaction: 2]],
        bodies: [.set: 4, .read: 2, .send: 2, .clean: 2, .observe: 1], activeValues: 60),
      Theme(name: "dropping", roots: 1...2, derivations: 0...1, setup: 1...3,
        threads: [writing, [.drop: 3, .set: 1, .clean: 1, .observe: 1, .read: 1], writing], otherQueues: 40, ops: 1...4),
      Theme(name: "memos", roots: 1...2, derivations: 2...4, sinks: 0...0, setup: 1...2,
        threads: [[.set: 4, .transaction: 2, .modify: 1], [.read: 5, .readTogether: 1, .observe: 1], [.set: 2, .read: 4]], ops: 2...4),
      Theme(name: "queues", roots: 1...2, derivations: 0...2, threads: [writing, [.observe: 3, .clean: 2, .set: 3], writing],
        otherQueues: 70),
      Theme(name: "overlaps", share: 2, roots: 2...3, derivations: 1...3, dispatchers: 2...2, setup: 1...3,
        threads: [[.transaction: 3, .modify: 1], [.transaction: 2, .modify: 2], [.observe: 2, .set: 1, .read: 1]],
        bodies: [.set: 6, .modify: 2, .send: 1, .clean: 1], bodyOps: 1...3),
      Theme(name: "stores", share: 3, roots: 1...1, derivations: 0...0, sinks: 0...0, setup: 0...1,
        threads: [[.create: 4, .letGo: 2, .clear: 1, .reduce: 3], [.create: 4, .letGo: 2, .reduce: 3, .clear: 1],
          [.reduce: 2, .create: 2, .letGo: 1]],
        bodies: [.create: 2, .letGo: 2, .clear: 1, .set: 1, .reduce: 1]),
      Theme(name: "dispatches", share: 2, roots: 2...2, derivations: 0...1, setup: 0...2, stored: 100,
        threads: [[.reduce: 4, .listen: 1], [.listen: 3, .clean: 2, .reduce: 2], [.reduce: 2, .transaction: 2, .readTogether: 1]],
        bodies: [.set: 5, .modify: 1, .reduce: 2, .listen: 1, .clean: 1]),
      Theme(name: "tracking", share: 2, roots: 1...2, rows: 1, derivations: 0...2, setup: 0...1,
        threads: [[.track: 4, .set: 1], [.track: 3, .set: 2], [.set: 3, .transaction: 1, .track: 1]], otherQueues: 60),
      Theme(name: "bags", roots: 1...2, derivations: 0...2, setup: 0...2,
        threads: [[.observe: 3, .cleanBag: 1, .listen: 1], [.cleanBag: 2, .observe: 2, .set: 1], [.set: 3, .send: 1, .cleanBag: 1]], inBag: 80),
      Theme(name: "effects", share: 4, roots: 1...1, derivations: 0...1, sinks: 0...0, setup: 1...3, effects: 1...2,
        threads: [[.runEffect: 4, .cancelEffects: 1, .reduce: 1, .transaction: 1], [.runEffect: 3, .performEffect: 3, .cancelTask: 2],
          [.performEffect: 3, .advance: 1, .cancelEffects: 1, .runEffect: 2]],
        bodies: [.runEffect: 3, .reduce: 2, .transaction: 1, .set: 1], activeObservers: 60),
      Theme(name: "sessions", share: 2, roots: 1...1, derivations: 0...0, sinks: 0...0, setup: 0...0,
        threads: [[.useSession: 3, .cancelUse: 1, .advance: 1], [.useSession: 3, .failOpen: 1, .shutDown: 1],
          [.useSession: 2, .advance: 1, .cancelUse: 1]],
        bodies: [.reduce: 1, .set: 1, .observe: 1]),
      Theme(name: "keepers", share: 3, roots: 1...1, derivations: 0...0, sinks: 0...0, setup: 0...0,
        threads: [[.add: 4, .flush: 2, .letGoOfKey: 1, .openKey: 1], [.add: 3, .closeKey: 1, .openKey: 2, .flush: 2, .failCall: 2],
          [.add: 2, .advance: 2, .follow: 1, .letGoOfKeeper: 1]],
        ops: 2...5),
    ]
  }

  extension Plan {
    /// Draws a plan.
    init(seed: UInt64, theme: Theme? = nil) {
      var pen = Pen(seed: seed)
      let themes = Theme.all.flatMap { Array(repeating: $0, count: $0.share) }
      let theme = theme ?? pen.element(of: themes)
      dispatchers = pen.number(theme.dispatchers)
      sinks = pen.number(theme.sinks)
      let isStored = pen.chance(theme.stored)
      roots = (0..<pen.number(theme.roots)).map { _ in isStored ? .stored : .variable }
      roots += Array(repeating: .row, count: theme.rows)
      for _ in 0..<pen.number(theme.derivations) {
        let last = roots.count + derivations.count - 1
        let watch = Watch(derivation: pen.derivation(last))
        derivations.append(Op(kind: .derive, target: pen.number(0...last), watch: watch))
      }
      for _ in 0..<pen.number(theme.setup) {
        setup.append(pen.op(sinks > 0 && pen.chance(30) ? .listen : .observe, self, theme, 1))
      }
      for weights in theme.threads {
        let count = pen.number(theme.ops)
        threads.append((0..<count).map { _ in pen.op(pen.kind(weights), self, theme, 0) })
      }
      if pen.chance(20) { threads.append([pen.op(pen.kind(Theme.anything), self, theme, 0)]) }
      hasMain = pen.chance(theme.otherQueues)
      effects = pen.number(theme.effects)
      firstPolicy = pen.number(0...4)
      (hasSessions, hasKeeper) = (theme.name == "sessions", theme.name == "keepers")
      hasIdleTime = pen.chance(50)
      if pen.chance(theme.handovers) { changesBeforeHandover = pen.number(0...2) }
    }
  }

  /// Draws the parts of a plan.
  private struct Pen {
    var generator: SplitMix

    init(seed: UInt64) { generator = SplitMix(seed: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
    mutating func chance(_ percentage: Int) -> Bool { number(0...99) < percentage }
    mutating func element<Element>(of elements: [Element]) -> Element {
      elements[number(0...elements.count - 1)]
    }

    mutating func kind(_ weights: Theme.Weights) -> Op.Kind {
      let sorted = weights.sorted { $0.key.rawValue < $1.key.rawValue }
      return element(of: sorted.flatMap { Array(repeating: $0.key, count: $0.value) })
    }

    mutating func op(_ kind: Op.Kind, _ plan: Plan, _ theme: Theme, _ depth: Int) -> Op {
      var op = Op(kind: kind)
      let nodes = 0...plan.nodeCount - 1
      switch kind {
      case .read, .track, .drop: op.target = number(nodes)
      // The last nodes derive from the most others.
      case .observe: op.target = max(number(nodes), number(nodes))
      default: op.target = number(0...5)
      }
      op.payload = number(0...3)
      if [.observe, .listen, .track].contains(kind) { op.watch = watch(plan, theme, depth) }
      let (hasBody, kinds): (Bool, Theme.Weights) =
        switch kind {
        case .readTogether: (true, [.read: 5, .reduce: 1])
        case .transaction, .reduce: (true, theme.bodies)
        case .modify: (chance(30), theme.bodies)
        case .observe, .listen: (chance(theme.activeObservers), theme.bodies)
        case .set: (chance(theme.activeValues), theme.bodies)
        case .runEffect, .performEffect:
          (chance(80), [.reduce: 4, .set: 1, .performEffect: 2, .runEffect: 1, .cancelEffects: 1])
        case .useSession: (chance(80), theme.bodies)
        default: (false, [:])
        }
      guard hasBody, depth < 3 else { return op }
      let isAlways = [.transaction, .reduce, .readTogether].contains(kind)
      for _ in 0..<max(number(theme.bodyOps), isAlways ? 1 : 0) + (isAlways ? number(0...1) : 0) {
        op.body.append(self.op(self.kind(kinds), plan, theme, depth + 1))
      }
      return op
    }

    mutating func derivation(_ lastNode: Int) -> Watch.Derivation {
      switch number(0...9) {
      case 0...2: .map
      case 3...5: .distinct(number(1...2))
      default: .combine(number(0...lastNode))
      }
    }

    private mutating func watch(_ plan: Plan, _ theme: Theme, _ depth: Int) -> Watch {
      var watch = Watch()
      watch.pauses = chance(30)
      watch.ignoresFirst = chance(30)
      watch.activeCalls = number(1...2)
      if chance(theme.otherQueues) { watch.queue = chance(50) ? .main : .own }
      if chance(30) { watch.derivation = derivation(plan.nodeCount - 1) }
      switch number(0...19) {
      case 0: watch.style = .changes
      case 1...2: watch.style = .scope
      case 3...4 where depth == 0: watch.style = .loop
      default: break
      }
      watch.isInBag = chance(theme.inBag)
      return watch
    }
  }
#endif

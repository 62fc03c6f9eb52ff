#if DEBUG
  import FluxCapacitor

  /// A value that knows the writes from which it was computed: one for each leaf of its node.
  ///
  /// Its deinit is user code, which the library must not run under one of its own locks.
  final class Val: Sendable {
    let writes: [Int]
    private let run: Int

    init(_ writes: [Int]) {
      self.writes = writes
      run = world.run
      world.liveObjects += 1
    }

    deinit { if world.run == run { world.noteRelease(of: self) } }
  }

  /// A row of the scenario's table.
  struct Row: Identifiable, Equatable, Sendable {
    let id: RowID
    var val: Val

    init(id: Int, val: Val) { (self.id, self.val) = (RowID(id), val) }

    static func == (left: Row, right: Row) -> Bool { left.val.writes == right.val.writes }
  }

  /// The id of a row. Several objects can be one id.
  final class RowID: Hashable, Sendable {
    let number: Int
    private let token = Token()

    init(_ number: Int) { self.number = number }

    static func == (left: RowID, right: RowID) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  /// A root in the value of a node.
  ///
  /// A settled leaf lies behind a `removeDuplicates`, which passes on only writes with another payload than the last one.
  /// So such a leaf may have an older write, with the same payload as the current one.
  struct Leaf: Equatable {
    var root: Int
    var isSettled = false
  }

  /// A variable, a row or a derived constant of any element type.
  class AnyNode: @unchecked Sendable {
    let leaves: [Leaf]

    init(_ leaves: [Leaf]) { self.leaves = leaves }

    var identity: ObjectIdentifier { fatalError() }
    func read() -> Val { fatalError() }
    func map() -> AnyNode { fatalError() }
    func distinct() -> AnyNode { fatalError() }
    func combine(with _: AnyNode) -> AnyNode { fatalError() }
    func combined<Trait, First>(after _: Node<Trait, First>) -> AnyNode { fatalError() }
    func observe(_: ExecuteQueue, ignoreFirst: Bool, _: @escaping @Sendable (Val) -> Void) -> Dust {
      fatalError()
    }
    func changes(_: ExecuteQueue, _: @escaping @Sendable (Val, Val) -> Void) -> Dust {
      fatalError()
    }
    func observe(_: ExecuteQueue, during _: Target, _: @escaping @Sendable (Val) -> Void) -> Dust {
      fatalError()
    }
    func loop(
      _: @escaping @Sendable (Val) -> Void,
      end _: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
      fatalError()
    }
  }

  final class Node<Trait, Element: Sendable>: AnyNode, @unchecked Sendable {
    let value: PrimitiveValue<Trait, Element>
    let val: @Sendable (Element) -> Val

    init(
      _ value: PrimitiveValue<Trait, Element>,
      _ leaves: [Leaf],
      _ val: @escaping @Sendable (Element) -> Val
    ) {
      (self.value, self.val) = (value, val)
      super.init(leaves)
    }

    override var identity: ObjectIdentifier { value.identity }

    override func read() -> Val { val(value.value) }

    override func map() -> AnyNode {
      let (val, leaves) = (val, leaves)
      let map = value.map { element in
        let source = val(element)
        world.check(source.writes, of: leaves, in: "a transform")
        return Val(source.writes)
      }
      return Node<ImmutableTrait, Val>(map, leaves) { $0 }
    }

    override func distinct() -> AnyNode {
      let val = val
      let distinct = value.removeDuplicates { world.haveSamePayloads(val($0), val($1)) }
      return Node<ImmutableTrait, Element>(
        distinct,
        leaves.map { Leaf(root: $0.root, isSettled: true) },
        val
      )
    }

    override func combine(with second: AnyNode) -> AnyNode { second.combined(after: self) }

    override func combined<FirstTrait, First>(after first: Node<FirstTrait, First>) -> AnyNode {
      let (before, after) = (first.val, val)
      let both = Constant.combine(first.value, value)
      return Node<ImmutableTrait, (First, Element)>(both, first.leaves + leaves) {
        Val(before($0).writes + after($1).writes)
      }
    }

    override func observe(
      _ queue: ExecuteQueue,
      ignoreFirst: Bool,
      _ body: @escaping @Sendable (Val) -> Void
    ) -> Dust {
      let val = val
      return value.observe(on: queue, ignoreFirst: ignoreFirst) { body(val($0)) }
    }

    override func changes(_ queue: ExecuteQueue, _ body: @escaping @Sendable (Val, Val) -> Void)
      -> Dust
    {
      let val = val
      return value.observeChanges(on: queue) { body(val($0), val($1)) }
    }

    override func observe(
      _ queue: ExecuteQueue,
      during target: Target,
      _ body: @escaping @Sendable (Val) -> Void
    ) -> Dust {
      let val = val
      return value.observe(duringScopeOf: target, on: queue) { body(val($0)) }
    }

    override func loop(
      _ body: @escaping @Sendable (Val) -> Void,
      end: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
      let (values, val) = (value.values, val)
      return Task {
        for await element in values { body(val(element)) }
        end()
      }
    }
  }
#endif

#if DEBUG
  import FluxCapacitor

  /// A value that knows the writes from which it was computed: one for each leaf of its node.
  ///
  /// Its deinit is user code, which the library must not run under one of its own locks.
  final class Val: Token, @unchecked Sendable {
    let writes: [Int]

    init(_ writes: [Int]) {
      self.writes = writes
      super.init()
    }
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
  protocol AnyNode: AnyObject, Sendable {
    typealias Observer = @Sendable (Val) -> Void

    var leaves: [Leaf] { get }

    func read() -> Val
    func map() -> any AnyNode
    func distinct() -> any AnyNode
    func combine(with second: any AnyNode) -> any AnyNode
    func combined<Trait, First>(after first: Node<Trait, First>) -> any AnyNode
    func observe(_ queue: ExecuteQueue, ignoreFirst: Bool, _ body: @escaping Observer) -> Dust
    func changes(_ queue: ExecuteQueue, _ body: @escaping @Sendable (Val, Val) -> Void) -> Dust
    func observe(_ queue: ExecuteQueue, during target: Token, _ body: @escaping Observer) -> Dust
    func loop(_ body: @escaping Observer, end: @escaping @Sendable () -> Void) -> Task<Void, Never>
  }

  final class Node<Trait, Element: Sendable>: AnyNode {
    let value: PrimitiveValue<Trait, Element>
    let leaves: [Leaf]
    let val: ToVal

    typealias ToVal = @Sendable (Element) -> Val

    init(_ value: PrimitiveValue<Trait, Element>, _ leaves: [Leaf], _ val: @escaping ToVal) {
      (self.value, self.leaves, self.val) = (value, leaves, val)
    }

    func read() -> Val {
      let element = value.value
      world.history.place.keep(element)
      return val(element)
    }

    func map() -> any AnyNode {
      let map = value.map { [val, leaves] element in
        let source = val(element)
        world.check(source.writes, of: leaves, in: "a transform")
        return Val(source.writes)
      }
      return Node<ImmutableTrait, Val>(map, leaves) { $0 }
    }

    func distinct() -> any AnyNode {
      let distinct = value.removeDuplicates { [val] in
        world.haveSamePayloads(val($0).writes, val($1).writes)
      }
      let leaves = leaves.map { Leaf(root: $0.root, isSettled: true) }
      return Node<ImmutableTrait, Element>(distinct, leaves, val)
    }

    func combine(with second: any AnyNode) -> any AnyNode { second.combined(after: self) }

    func combined<FirstTrait, First>(after first: Node<FirstTrait, First>) -> any AnyNode {
      let both = Constant.combine(first.value, value)
      return Node<ImmutableTrait, (First, Element)>(both, first.leaves + leaves) {
        [before = first.val, after = val] in
        Val(before($0).writes + after($1).writes)
      }
    }

    func observe(_ queue: ExecuteQueue, ignoreFirst: Bool, _ body: @escaping Observer) -> Dust {
      value.observe(on: queue, ignoreFirst: ignoreFirst) { [val] in body(val($0)) }
    }

    func changes(_ queue: ExecuteQueue, _ body: @escaping @Sendable (Val, Val) -> Void) -> Dust {
      value.observeChanges(on: queue) { [val] in body(val($0), val($1)) }
    }

    func observe(_ queue: ExecuteQueue, during target: Token, _ body: @escaping Observer) -> Dust {
      value.observe(duringScopeOf: target, on: queue) { [val] in body(val($0)) }
    }

    func loop(_ body: @escaping Observer, end: @escaping @Sendable () -> Void) -> Task<Void, Never>
    {
      let (values, val) = (value.values, val)
      return Task {
        await iterate(over: values) { body(val($0)) }
        end()
      }
    }
  }

  /// Calls a closure with the elements of a sequence, of which a cancelled task receives none.
  func iterate<Element>(over values: Values<Element>, _ body: (Element) -> Void) async {
    var iterator = values.makeAsyncIterator()
    while true {
      let wasCancelled = Task.isCancelled
      guard let element = await iterator.next() else { return }
      if wasCancelled { world.fail("B4: a cancelled task receives an element.") }
      body(element)
    }
  }
#endif

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
  /// Behind a `removeDuplicates`, a leaf has a grain: writes whose payloads are equal after a division by the grain are the
  /// same. Which of these writes such a settled leaf has isn't specified.
  struct Leaf: Equatable {
    var root: Int
    var grain = 0

    var isSettled: Bool { grain > 0 }
  }

  /// A variable, a row or a derived constant of any element type.
  protocol AnyNode: Sendable {
    associatedtype Trait
    associatedtype Element: Sendable

    var value: PrimitiveValue<Trait, Element> { get }
    var leaves: [Leaf] { get }
    var val: @Sendable (Element) -> Val { get }
  }

  struct Node<Trait, Element: Sendable>: AnyNode {
    let value: PrimitiveValue<Trait, Element>
    let leaves: [Leaf]
    let val: @Sendable (Element) -> Val
  }

  extension AnyNode {
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
      return Node(value: map, leaves: leaves) { $0 }
    }

    func distinct(_ grain: Int) -> any AnyNode {
      let leaves = leaves.map { Leaf(root: $0.root, grain: max($0.grain, grain)) }
      let distinct = value.removeDuplicates { [val] in
        world.history.areSame(val($0).writes, val($1).writes, leaves)
      }
      return Node(value: distinct, leaves: leaves, val: val)
    }

    func combine(with second: some AnyNode) -> any AnyNode {
      let both = Constant.combine(value, second.value)
      return Node(value: both, leaves: leaves + second.leaves) { [val, other = second.val] in
        Val(val($0).writes + other($1).writes)
      }
    }

    /// Begins the observation of a watcher.
    func observe(for watcher: Watcher, on queue: ExecuteQueue, _ call: @escaping Watcher.Call) {
      let called: @Sendable (Element) -> Void = { [val] in call(val($0)) }
      switch watcher.style {
      case .plain:
        watcher.dust = value.observe(on: queue, ignoreFirst: watcher.ignoresFirst, changes: called)
      case .changes:
        watcher.dust = value.observeChanges(on: queue) { [val] old, new in
          let (old, last) = (val(old).writes, watcher.calls.last)
          if !world.history.areSame(old, last ?? old, watcher.leaves) {
            world.fail("An old value of `observeChanges` wasn't the last new one.")
          }
          called(new)
        }
      case .scope:
        let target = Token(isKept: false)
        watcher.target = target
        watcher.scope = value.observe(duringScopeOf: target, on: queue, changes: called)
      case .loop:
        watcher.task = Task { [values = value.values] in
          await iterate(over: values, called)
          watcher.hasEnded = true
        }
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

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Observation

  extension World {
    // MARK: - Setup

    func setUpValues() {
      sinks = (0..<plan.sinks).map { _ in Sink<Val>() }
      let rows = plan.rows.map { Row(id: $0, val: Val([history.firstWrite(to: $0)])) }
      if !rows.isEmpty { table = VariableTable(rows) }
      for (root, kind) in plan.roots.enumerated() { makeRoot(root, kind) }
      for op in plan.derivations {
        nodes.append(nodes[op.target % nodes.count].map { derive($0, op.watch.derivation) })
      }
      if let table { makeRows(of: table) }
    }

    private func makeRoot(_ root: Int, _ kind: Plan.Root) {
      let leaves = [Leaf(root: root)]
      switch kind {
      case .row:
        guard let row = table?.row(id: RowID(root)) else { return }
        history.know(row.identity, as: root)
        variables.append(nil)
        let missing = history.firstWrite(to: root)
        nodes.append(Node(value: row, leaves: leaves) { $0?.val ?? Val([missing]) })
      case .variable, .stored:
        let isStored = kind == .stored && root < 2
        let variable = isStored ? stores[0].variables[root] : Variable(Val([]))
        variable.value = Val([history.firstWrite(to: root)])
        history.know(variable.identity, as: root)
        variables.append(variable)
        let node = Node(value: variable, leaves: leaves, val: \.self)
        let constant = Node(value: variable.constant, leaves: leaves, val: \.self)
        nodes.append(root % 2 == 0 ? node : constant)
      }
    }

    /// All rows count as one root. Its writes are the contents of the table.
    private func makeRows(of table: VariableTable<Row>) {
      let leaf = Leaf(root: plan.roots.count)
      history.know(table.identity, as: leaf.root)
      _ = history.write(ofContents: table.rows.value)
      nodes.append(
        Node(value: table.rows, leaves: [leaf]) { Val([world.history.write(ofContents: $0)]) }
      )
    }

    // MARK: - Writing

    /// A new value for a root.
    private func newVal(_ op: Op, for root: Int) -> Val {
      let val = Val([history.newWrite(payload: op.payload)])
      history.place.run?.newWrites.append((root, val.writes[0]))
      if op.kind == .set, !op.body.isEmpty { actionsAtEnd[ObjectIdentifier(val)] = op.body }
      return val
    }

    func set(_ op: Op) {
      let root = op.target % plan.roots.count
      if plan.roots[root] == .row {
        for id in op.payload == 3 ? [root, World.otherRow] : [root] {
          history.beginChange()
          table?[id: RowID(id)] = Row(id: id, val: newVal(op, for: id))
        }
      } else {
        variables[root]?.value = newVal(op, for: root)
      }
    }

    func modify(_ op: Op) {
      let root = op.target % plan.roots.count
      // Another thread may drop the variable meanwhile.
      history.place.keep(variables[root] as Any)
      func change(_ old: Any, _ body: (Val) -> Void) {
        history.inBody(ofMutation: lock(of: root)) {
          history.place.keep(old)
          body(Val([0]))
          // Constants can be made even in a mutation.
          if variables[root]?.constant !== variables[root]?.constant { fail("Two constants.") }
          _ = node(root).map { $0.combine(with: $0) }
          op.body.forEach(perform)
          interleavingPoint()
          body(newVal(op, for: root))
        }
      }
      func change(_ row: inout Row?) { change(row as Any) { row = Row(id: root, val: $0) } }
      if plan.roots[root] == .row, let table {
        change(&table[id: RowID(root)])
      } else {
        variables[root]?.modify { value in change(value) { value = $0 } }
      }
    }

    /// The id of a row that is no root. It comes and goes.
    private static let otherRow = 100

    /// Replaces all rows, in another order, and adds or removes a row that is no root.
    func replaceAll(_ op: Op) {
      let ids = plan.rows
      let first = op.payload % max(1, ids.count)
      let other = op.payload < 2 ? [World.otherRow] : []
      let all = ids[first...] + ids[..<first] + other
      table?.replaceAll(with: all.map { Row(id: $0, val: newVal(op, for: $0)) })
    }

    // MARK: - Reading

    func read(_ op: Op) {
      guard let node = node(op) else { return }
      check(node.read().writes, of: node.leaves, in: "a read", since: history.place.run?.begin)
    }

    func track(_ op: Op) {
      guard let node = node(op).map({ derive($0, op.watch.derivation) }) else { return }
      let tracking = Tracking(node.leaves)
      trackings.append(tracking)
      let begin = history.now
      let val = withObservationTracking(node.read) { tracking.hasFired = true }
      history.place.keep(node)
      tracking.installed = history.tick()
      if scheduledThread?.isMain == true { tracking.seenOnMain = val.writes }
      check(val.writes, of: node.leaves, in: "a tracked read", since: begin)
    }

    func drop(_ op: Op) {
      let index = op.target % nodes.count
      let variable = index < variables.count ? variables[index].take() : nil
      withExtendedLifetime((nodes[index].take(), variable)) {}
    }

    func derive(_ node: any AnyNode, _ derivation: Watch.Derivation) -> any AnyNode {
      switch derivation {
      case .none: node
      case .map: node.map()
      case .distinct(let grain): node.distinct(grain)
      case .combine(let other):
        self.node(other % nodes.count).map { node.combine(with: $0) } ?? node
      }
    }

    func check(_ writes: [Int], of leaves: [Leaf], in place: String, since begin: Int? = nil) {
      if history.isMixed(writes, leaves) { fail("B1: \(place) has two values of one root.") }
      if let begin, !history.wasCurrent(writes, leaves, since: begin) {
        fail("\(place) has \(writes), which the variables had at no moment of the read.")
      }
    }
  }
#endif

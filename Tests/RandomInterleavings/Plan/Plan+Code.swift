#if DEBUG
  extension Plan {
    /// The plan as Swift code for `InterleavingTests`. A value is the list of the writes that it contains.
    var code: String {
      var lines = ["@Test func randomScenario() {", "  explore { scenario in"]
      for (root, kind) in roots.enumerated() where kind != .row {
        lines.append("    let \(name(root)) = Variable([0])")
      }
      if isReadingRows {
        let rows = roots.indices.filter { roots[$0] == .row }
        lines.append("    let table = VariableTable([\(rows.map { "Row(\($0), [0])" }.joined(separator: ", "))])")
        for row in rows { lines.append("    let \(name(row)) = table.row(\(row)).map { $0?.value ?? [0] }") }
      }
      for (index, derivation) in derivations.enumerated() {
        let count = roots.count + index
        let text =
          switch derivation {
          case .map(let source): "\(name(source % count)).map { $0 }"
          case .distinct(let source): "\(name(source % count)).removeDuplicates()"
          case .combine(let first, let second):
            "Constant.combine(\(name(first % count)), \(name(second % count))).map { $0 + $1 }"
          }
        lines.append("    let \(name(count)) = \(text)")
      }
      if isReadingRows { lines.append("    let \(name(nodeCount - 1)) = table.rows.map { $0.flatMap(\\.value) }") }
      for number in 0..<dispatchers where dispatchers > 1 { lines.append("    let dispatcher\(number) = Dispatcher()") }
      for number in 0..<sinks { lines.append("    let sink\(number) = Sink<[Int]>()") }
      for number in 0..<effects {
        lines.append("    let effects\(number) = Effects(\(EffectsOfScenario(number + firstPolicy).policy))")
      }
      if let changesBeforeHandover { lines.append("    // A handover after \(changesBeforeHandover) changes.") }
      lines += setup.flatMap { lineList($0, "    ") }
      for (index, ops) in threads.enumerated() {
        lines.append("    scenario.\(hasMain && index == 0 ? "mainThread" : "thread") {")
        lines += ops.flatMap { lineList($0, "      ") }
        lines.append("    }")
      }
      return (lines + ["  }", "}"]).joined(separator: "\n")
    }

    private func name(_ node: Int) -> String {
      node < 26 ? String(UnicodeScalar(UInt8(97 + node % 26))) : "node\(node)"
    }

    private func lineList(_ op: Op, _ indent: String) -> [String] {
      let node = name(op.target % nodeCount)
      let root = op.target % roots.count
      let dispatcher = dispatchers > 1 ? "dispatcher\(op.target % dispatchers)" : "Dispatcher.shared"
      func block(_ opening: String, _ last: [String] = []) -> [String] {
        if op.body.isEmpty && last.isEmpty { return [indent + opening + " }"] }
        return [indent + opening] + op.body.flatMap { lineList($0, indent + "  ") } + last.map { indent + "  " + $0 }
          + [indent + "}"]
      }
      let value = "[\(op.number)]  // payload \(op.payload)"
      switch op.kind {
      case .set:
        let line = roots[root] == .row ? "table[\(root)]?.value = \(value)" : "\(name(root)).value = \(value)"
        return [indent + line] + (op.body.isEmpty ? [] : block("// The value's deinit: {"))
      case .modify:
        return roots[root] == .row
          ? block("change(&table[\(root)]) {", ["$0.value = \(value)"]) : block("\(name(root)).modify {", ["$0 = \(value)"])
      case .transaction: return block("\(dispatcher).transaction {")
      case .reduce: return block("\(dispatcher).reduce {")
      case .readTogether: return block("\(dispatcher).read {")
      case .read: return [indent + "_ = \(node).value"]
      case .track: return [indent + "track(\(derived(node, op.watch)).value)"]
      case .observe: return block("let dust\(op.number) = \(observe(node, op.watch)) {")
      case .clean: return [indent + "observer \(op.target).clean()"]
      case .cleanBag: return [indent + "bag.clean()"]
      case .drop: return [indent + "drop(\(node))"]
      case .send: return [indent + "sink\(op.target % max(1, sinks)).send(\(value))"]
      case .listen: return block("let dust\(op.number) = sink\(op.target % max(1, sinks)).signal.observe(on: .\(op.watch.queue)) {")
      default: return block("\(op.kind) \(op.target) \(op.payload) {")
      }
    }

    private func derived(_ node: String, _ watch: Watch) -> String {
      switch watch.derivation {
      case .none: node
      case .map: "\(node).map { $0 }"
      case .distinct: "\(node).removeDuplicates()"
      case .combine(let other): "Constant.combine(\(node), \(name(other % nodeCount))).map { $0 + $1 }"
      }
    }

    private func observe(_ node: String, _ watch: Watch) -> String {
      var arguments: [String] = []
      if watch.style == .scope { arguments.append("duringScopeOf: target") }
      if watch.queue != .current { arguments.append("on: .\(watch.queue)") }
      if watch.ignoresFirst, watch.style == .plain { arguments.append("ignoreFirst: true") }
      let method = watch.style == .changes ? "observeChanges" : watch.style == .loop ? "loop" : "observe"
      let pause = watch.pauses ? " /* pauses */" : ""
      return "\(derived(node, watch)).\(method)(\(arguments.joined(separator: ", ")))\(pause)\(watch.isInBag ? " /* in the bag */" : "")"
    }
  }
#endif

#if DEBUG
  extension Plan {
    /// A test for `InterleavingTests` that explores this plan.
    func code(seed: UInt64) -> String {
      """
      @testable import RandomInterleavings

      @Test func randomScenario() {
        explore(
          seed: \(seed),
          \(Plan.code(of: self))
        )
      }
      """
    }

    /// Returns Swift code for a value, without the properties that have their usual value.
    private static func code(of value: Any) -> String {
      let mirror = Mirror(reflecting: value)
      func call(_ name: String, without usual: Any) -> String {
        let properties = zip(mirror.children, Mirror(reflecting: usual).children)
        let arguments = properties.filter { "\($0.value)" != "\($1.value)" }
          .map { "\($0.0.label ?? ""): \(code(of: $0.0.value))" }
        return "\(name)(\(arguments.joined(separator: ", ")))"
      }
      switch value {
      case is Op: return call("Op", without: Op())
      case is Plan: return call("Plan", without: Plan())
      case is Watch: return call("Watch", without: Watch())
      case let lists as [[Op]]:
        return "[\n        \(lists.map(code).joined(separator: ",\n        "))]"
      case let values as [Any]: return "[\(values.map(code).joined(separator: ", "))]"
      default: break
      }
      switch mirror.displayStyle {
      case .enum: return ".\(value)"
      case .optional: return code(of: mirror.children.first?.value ?? 0)
      default: return "\(value)"
      }
    }

    /// Plans with a little less in them, the smallest first.
    var smaller: [Plan] {
      var plans: [Plan] = []
      func add(_ change: (inout Plan) -> Void) { plans.append(changed(self, change)) }
      for index in threads.indices { add { $0.threads.remove(at: index) } }
      for list in threads.indices.map({ \Plan.threads[$0] }) + [\.setup, \.derivations] {
        for ops in Op.smaller(self[keyPath: list]) { add { $0[keyPath: list] = ops } }
      }
      for index in roots.indices where roots.count > 1 { add { $0.roots.remove(at: index) } }
      let changes: [(inout Plan) -> Void] = [
        { $0.dispatchers = 1 }, { $0.sinks = max(0, $0.sinks - 1) }, { $0.hasMain = false },
        { $0.effects = max(0, $0.effects - 1) }, { $0.hasIdleTime = false },
        { $0.changesBeforeHandover = nil },
      ]
      changes.forEach(add)
      return plans.filter { "\($0)" != "\(self)" }
    }
  }

  extension Op {
    /// Lists of operations with one operation less, or with a simpler one.
    static func smaller(_ ops: [Op]) -> [[Op]] {
      var lists = ops.indices.map { index in changed(ops) { $0.remove(at: index) } }
      for (index, op) in ops.enumerated() {
        func add(_ change: (inout Op) -> Void) { lists.append(changed(ops) { change(&$0[index]) }) }
        if !op.body.isEmpty {
          lists.append(changed(ops) { $0.replaceSubrange(index...index, with: op.body) })
        }
        for body in smaller(op.body) { add { $0.body = body } }
        for watch in op.watch.simpler { add { $0.watch = watch } }
        if op.payload > 1 { add { $0.payload = 1 } }
      }
      return lists
    }
  }

  extension Watch {
    fileprivate var simpler: [Watch] {
      let changes: [(inout Watch) -> Void] = [
        { $0 = Watch() }, { $0.style = .plain }, { $0.queue = .current }, { $0.isInBag = false },
        { $0.ignoresFirst = false }, { $0.pauses = false }, { $0.activeCalls = 1 },
        { $0.derivation = .none },
      ]
      return changes.map { changed(self, $0) }.filter { "\($0)" != "\(self)" }
    }
  }

  private func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
  }
#endif

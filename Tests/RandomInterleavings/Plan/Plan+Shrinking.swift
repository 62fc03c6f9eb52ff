#if DEBUG
  extension Plan {
    /// Plans with a little less in them, the smallest first.
    var smaller: [Plan] {
      var plans: [Plan] = []
      func add(_ change: (inout Plan) -> Void) {
        var plan = self
        change(&plan)
        plans.append(plan)
      }
      for index in threads.indices { add { $0.threads.remove(at: index) } }
      for index in threads.indices {
        for ops in Op.smaller(threads[index]) { add { $0.threads[index] = ops } }
      }
      for ops in Op.smaller(setup) { add { $0.setup = ops } }
      if !derivations.isEmpty { add { $0.derivations.removeLast() } }
      for index in derivations.indices { add { $0.derivations.remove(at: index) } }
      for index in roots.indices where roots.count > 1 { add { $0.roots.remove(at: index) } }
      if dispatchers > 1 { add { $0.dispatchers = 1 } }
      if sinks > 0 { add { $0.sinks -= 1 } }
      if effects > 0 { add { $0.effects -= 1 } }
      if hasMain { add { $0.hasMain = false } }
      if hasSessions { add { $0.hasSessions = false } }
      if hasIdleTime { add { $0.hasIdleTime = false } }
      if hasKeeper { add { $0.hasKeeper = false } }
      if isDamaged { add { $0.isDamaged = false } }
      if changesBeforeHandover != nil { add { $0.changesBeforeHandover = nil } }
      return plans
    }
  }

  extension Op {
    /// Lists of operations with one operation less, or with a simpler one.
    static func smaller(_ ops: [Op]) -> [[Op]] {
      var lists: [[Op]] = []
      func replace(_ index: Int, with new: [Op]) {
        lists.append(Array(ops[..<index]) + new + Array(ops[(index + 1)...]))
      }
      for index in ops.indices { replace(index, with: []) }
      for index in ops.indices {
        let op = ops[index]
        if !op.body.isEmpty { replace(index, with: op.body) }
        for body in smaller(op.body) {
          var op = op
          op.body = body
          replace(index, with: [op])
        }
        for watch in op.watch.simpler {
          var op = op
          op.watch = watch
          replace(index, with: [op])
        }
        if op.payload > 1 {
          var op = op
          op.payload = 1
          replace(index, with: [op])
        }
      }
      return lists
    }
  }

  extension Watch {
    fileprivate var simpler: [Watch] {
      var watches: [Watch] = []
      func add(_ change: (inout Watch) -> Void) {
        var watch = self
        change(&watch)
        watches.append(watch)
      }
      if style != .plain { add { $0.style = .plain } }
      if queue != .current { add { $0.queue = .current } }
      if ignoresFirst { add { $0.ignoresFirst = false } }
      if pauses { add { $0.pauses = false } }
      if isInBag { add { $0.isInBag = false } }
      if activeCalls > 1 { add { $0.activeCalls = 1 } }
      if case .none = derivation {} else { add { $0.derivation = .none } }
      return watches
    }
  }
#endif

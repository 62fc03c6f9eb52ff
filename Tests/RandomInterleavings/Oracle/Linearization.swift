#if DEBUG
  /// The search for an order of the batches in which an observer's calls are right.
  ///
  /// Each batch is one step from one state of the variables to the next. The order respects every variable and real time.
  /// A batch that changes the observer's node must be the next call, and the calls must be such batches.
  struct Linearization {
    private let history: History
    private let watcher: Watcher
    private let batches: [History.Batch]
    private let leaves: [Leaf]

    /// The time until which the observer may miss changes, because a node that it uses became active during a transaction.
    private let settled: Int
    private var seen: Set<[UInt64]> = []

    /// The furthest that the search came, for the report.
    private(set) var explained = 0

    init(of watcher: Watcher, in history: History) {
      self.history = history
      self.watcher = watcher
      leaves = watcher.leaves
      let roots = Set(leaves.map(\.root))
      let early = world.watchers.filter {
        $0.begin < watcher.end && $0.leaves.contains { roots.contains($0.root) }
      }
      settled = early.map { $0.unsettled.isEmpty ? $0.awaited?.run?.end ?? 0 : .max }.max() ?? 0
      batches = history.batches.filter { !roots.isDisjoint(with: $0.writes.keys) }
    }

    /// Returns what is wrong with the calls, or nil if they are right.
    mutating func problem() -> String? {
      if batches.count > 60 { return nil }
      let calls = watcher.calls
      for (call, next) in zip(calls, calls.dropFirst()) {
        for (index, leaf) in leaves.enumerated()
        where !leaf.isSettled
          && history.position(call.writes[index]) > history.position(next.writes[index])
        {
          return "goes back in root \(leaf.root)"
        }
      }
      if watcher.ignoresFirst {
        for mask in masksOfStart() where canContinue(from: mask, lastCall: nil, at: 0) {
          return nil
        }
      } else {
        guard let first = calls.first else {
          return watcher.cleanBegin == nil ? "was never called" : nil
        }
        if !isFirstValue(first) { return "starts with a value that the variables never had" }
        if canContinue(from: maskOfBatches(in: first.writes), lastCall: first.writes, at: 1) {
          return nil
        }
      }
      return explained < calls.count
        ? "receives call \(explained + 1), which is no next change" : "misses a change"
    }

    // MARK: - The start

    private func maskOfBatches(in writes: [Int]) -> UInt64 {
      var mask: UInt64 = 0
      for (bit, batch) in batches.enumerated() {
        let changed = leaves.indices.filter { batch.writes[leaves[$0].root] != nil }
        let isTold = changed.contains { !leaves[$0].isSettled }
        let isContained = changed.allSatisfy { index in
          let new = batch.writes[leaves[index].root] ?? 0
          // A settled leaf may have an older write with the same payload. Then, only unsettled leaves tell.
          let isSame =
            isTold && leaves[index].isSettled
            && history.payloads[writes[index]] == history.payloads[new]
          return isSame || history.position(writes[index]) >= history.position(new)
        }
        if isContained { mask |= 1 << UInt64(bit) }
      }
      return mask
    }

    /// Whether an observer may start with a value: the variables have it meanwhile, or the others have received it last.
    private func isFirstValue(_ first: Watcher.Call) -> Bool {
      let end = min(first.begin, watcher.end)
      if history.wasCurrent(first.writes, leaves, since: watcher.begin, until: end) { return true }
      if watcher.wasAlone, settled == 0 { return false }
      let hasStartedEarlier = world.watchers.contains { other in
        other !== watcher && other.begin < watcher.begin && other.cleanEnd ?? .max > watcher.begin
          && history.wasCurrent(first.writes, leaves, since: other.begin, until: other.end)
      }
      if hasStartedEarlier { return true }
      let mask = maskOfBatches(in: first.writes)
      return history.matches(first.writes, leaves) { write(to: $0, after: mask) }
    }

    /// The batches that a state contains from which an observer can start without a first call.
    private func masksOfStart() -> [UInt64] {
      var masks: [UInt64] = []
      var open: [UInt64] = [0]
      var known: Set<UInt64> = [0]
      while let mask = open.popLast() {
        let missed = batches.indices.filter {
          mask >> UInt64($0) & 1 == 0 && batches[$0].time <= watcher.begin
        }
        if !watcher.wasAlone || missed.isEmpty { masks.append(mask) }
        for bit in batches.indices
        where mask >> UInt64(bit) & 1 == 0 && batches[bit].time <= watcher.end {
          let next = mask | 1 << UInt64(bit)
          if mayPrecede(bit, after: mask), known.insert(next).inserted { open.append(next) }
        }
      }
      return masks
    }

    // MARK: - The calls

    private func write(to root: Int, after mask: UInt64) -> Int {
      var last = history.firstWrite(to: root)
      for (bit, batch) in batches.enumerated() where mask >> UInt64(bit) & 1 == 1 {
        if let write = batch.writes[root], history.position(write) > history.position(last) {
          last = write
        }
      }
      return last
    }

    private func mayPrecede(_ bit: Int, after mask: UInt64) -> Bool {
      let batch = batches[bit]
      for (other, earlier) in batches.enumerated()
      where other != bit && mask >> UInt64(other) & 1 == 0 {
        let isEarlier = earlier.run.map { $0.end < batch.run?.begin ?? batch.time } ?? false
        let isBefore =
          earlier.time < batch.time && !Set(earlier.writes.keys).isDisjoint(with: batch.writes.keys)
        if isEarlier || isBefore { return false }
      }
      return true
    }

    /// Whether an order of the batches outside of the mask explains the calls from a position on.
    private mutating func canContinue(from mask: UInt64, lastCall: [Int]?, at position: Int) -> Bool
    {
      explained = max(explained, position)
      guard seen.insert([mask, UInt64(position)] + (lastCall ?? []).map(UInt64.init)).inserted
      else { return false }
      let state = batches.isEmpty ? [] : leaves.map { write(to: $0.root, after: mask) }
      let isAtEnd = position == watcher.calls.count
      if isAtEnd {
        if watcher.cleanBegin != nil { return true }
        if mask == 1 << UInt64(batches.count) - 1 {
          // What an early observer has skipped must be delivered in the end.
          return lastCall.map { last in history.matches(last, leaves) { write(to: $0, after: mask) }
          } ?? true
        }
      }
      if !isAtEnd, mayRepeat(watcher.calls[position], after: lastCall),
        canContinue(from: mask, lastCall: watcher.calls[position].writes, at: position + 1)
      {
        return true
      }
      for bit in batches.indices where mask >> UInt64(bit) & 1 == 0 && mayPrecede(bit, after: mask)
      {
        let next = mask | 1 << UInt64(bit)
        let isChange = isChange(batches[bit], from: lastCall ?? state, after: next)
        if isChange || isLoop, !isAtEnd, matches(watcher.calls[position], after: next),
          canContinue(from: next, lastCall: watcher.calls[position].writes, at: position + 1)
        {
          return true
        }
        if !isChange || maySkip(batches[bit], after: mask),
          canContinue(from: next, lastCall: lastCall, at: position)
        {
          return true
        }
      }
      return false
    }

    /// B1, first exception: whoever subscribes during a transaction may receive its result although it is equal.
    private func mayRepeat(_ call: Watcher.Call, after lastCall: [Int]?) -> Bool {
      guard settled > 0, leaves.contains(where: \.isSettled) else { return false }
      return lastCall.map { haveSamePayloads(call.writes, $0) }
        ?? history.wasCurrent(call.writes, leaves, since: watcher.begin, until: settled)
    }

    private func haveSamePayloads(_ one: [Int], _ other: [Int]) -> Bool {
      zip(one, other).allSatisfy { history.payloads[$0] == history.payloads[$1] }
    }

    private func matches(_ call: Watcher.Call, after mask: UInt64) -> Bool {
      history.matches(call.writes, leaves) { write(to: $0, after: mask) }
    }

    /// Whether a batch changes the node: a root's write, or behind `removeDuplicates` another payload.
    private func isChange(_ batch: History.Batch, from state: [Int], after mask: UInt64) -> Bool {
      for (index, leaf) in leaves.enumerated() where batch.writes[leaf.root] != nil {
        let new = write(to: leaf.root, after: mask)
        if !leaf.isSettled || history.payloads[state[index]] != history.payloads[new] {
          return true
        }
      }
      return false
    }

    private var isLoop: Bool { watcher.style == .loop }

    /// B1, first exception: until the transactions that were open during the subscription have ended, an observer may miss
    /// changes in between. B4: a loop over values may skip values.
    private func maySkip(_ batch: History.Batch, after mask: UInt64) -> Bool {
      isLoop || batch.time <= settled
        || batches.indices.contains { batches[$0].isAwaited && mask >> UInt64($0) & 1 == 0 }
    }
  }
#endif

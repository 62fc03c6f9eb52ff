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
      // A state of an effect may be reduced outside of operations.
      let ends = early.map { $0.awaited.map { $0.run?.end ?? $0.time } ?? 0 }
      settled = early.allSatisfy(\.unsettled.isEmpty) ? ends.max() ?? 0 : .max
      batches = history.batches.filter { !roots.isDisjoint(with: $0.writes.keys) }
    }

    /// Returns what is wrong with the calls, or nil if they are right.
    mutating func problem() -> String? {
      if batches.count > 60 { return nil }
      let first = watcher.ignoresFirst ? nil : watcher.calls.first
      if first == nil, !watcher.ignoresFirst, watcher.cleanBegin == nil { return "is never called" }
      if let first, !isFirstValue(first) { return "starts with a value that never was" }
      // A first value with half of a transaction can look like one with all of it.
      for mayBeTold in settled > 0 ? [true, false] : [true] {
        let mask = first.map { maskOfBatches(in: $0, ifTold: mayBeTold) } ?? 0
        if canContinue(from: mask, last: first, at: first == nil ? 0 : 1) { return nil }
      }
      return explained < watcher.calls.count
        ? "receives call \(explained + 1), which is no next change" : "misses a change"
    }

    // MARK: - The start

    private func maskOfBatches(in writes: [Int], ifTold mayBeTold: Bool = true) -> UInt64 {
      var mask: UInt64 = 0
      for (bit, batch) in batches.enumerated() {
        let changed = leaves.indices.filter { batch.writes[leaves[$0].root] != nil }
        let new = leaves.map { batch.writes[$0.root] ?? 0 }
        let isReached = zip(writes, new).map { history.position($0) >= history.position($1) }
        // A settled leaf may have an older write that is the same. Then, the other leaves tell.
        let isTold = mayBeTold && changed.contains { !leaves[$0].isSettled || isReached[$0] }
        let isContained = changed.allSatisfy { index in
          isReached[index]
            || isTold && history.areSame(writes[index], new[index], grain: leaves[index].grain)
        }
        if isContained { mask |= 1 << UInt64(bit) }
      }
      return mask
    }

    /// Whether an observer may start with a value: the variables have it meanwhile, or the others have received it last,
    /// which may be those of a constant that derives from this one.
    private func isFirstValue(_ first: [Int]) -> Bool {
      if history.wasCurrent(first, leaves, since: watcher.begin, until: watcher.end) { return true }
      if watcher.wasAlone, settled == 0 { return false }
      let isKnown = world.watchers.contains { other in
        other !== watcher && other.begin < watcher.begin
          && other.cleanEnd ?? .max > watcher.othersSince
          && (other.calls.contains { Set(first).isSubset(of: $0) }
            || history.wasCurrent(first, leaves, since: other.begin, until: other.end))
      }
      if isKnown || matches(first, after: maskOfBatches(in: first)) { return true }
      // A loop that has started with half of a transaction may skip this value for a later change.
      return watcher.style == .loop && settled > 0
        && zip(first, leaves).allSatisfy { history.wasCurrent([$0], [$1], since: watcher.begin) }
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
      return !batches.indices.contains { other in
        let earlier = batches[other]
        if other == bit || mask >> UInt64(other) & 1 == 1 { return false }
        return earlier.run?.end ?? .max < batch.run?.begin ?? batch.time
          || earlier.time < batch.time && earlier.writes.keys.contains { batch.writes[$0] != nil }
      }
    }

    /// Whether an order of the batches outside of the mask explains the calls from a position on.
    private mutating func canContinue(from mask: UInt64, last: [Int]?, at position: Int) -> Bool {
      explained = max(explained, position)
      let key = [mask, UInt64(position)] + (last ?? []).map(UInt64.init)
      guard seen.insert(key).inserted else { return false }
      let state = batches.isEmpty ? [] : leaves.map { write(to: $0.root, after: mask) }
      let isAtEnd = position == watcher.calls.count
      if isAtEnd, watcher.cleanBegin != nil { return true }
      // What an early observer has skipped must be delivered in the end.
      if isAtEnd, mask == 1 << UInt64(batches.count) - 1 {
        return last.map { matches($0, after: mask) } ?? true
      }
      let call = isAtEnd ? nil : watcher.calls[position]
      if let call, mayRepeat(call, after: last, mask) {
        if canContinue(from: mask, last: call, at: position + 1) { return true }
      }
      let candidates = batches.indices.filter {
        mask >> UInt64($0) & 1 == 0 && mayPrecede($0, after: mask)
      }
      return candidates.contains { bit in
        let next = mask | 1 << UInt64(bit)
        let isChange = isChange(batches[bit], from: last ?? state, after: next)
        let isTooOld = watcher.wasAlone && batches[bit].time <= watcher.begin
        let mayBeNext = isChange && !isTooOld || watcher.style == .loop
        if let call, mayBeNext, isNext(call, after: last, next) {
          if canContinue(from: next, last: call, at: position + 1) { return true }
        }
        let precedesStart = last == nil && batches[bit].time <= watcher.end
        let maySkip = !isChange || precedesStart || maySkip(batches[bit], after: mask)
        return maySkip && canContinue(from: next, last: last, at: position)
      }
    }

    /// B1, first exception: an observer that subscribes in a transaction may receive its result although it is equal. An
    /// observer without a first call may have started from half of the transaction, so that it differs.
    private func mayRepeat(_ call: [Int], after lastCall: [Int]?, _ mask: UInt64) -> Bool {
      guard settled > 0, leaves.contains(where: \.isSettled) else { return false }
      if let lastCall { return history.areSame(call, lastCall, leaves) }
      let isCurrent = history.wasCurrent(call, leaves, since: watcher.begin, until: settled)
      return isCurrent || matches(call, after: mask)
    }

    private func matches(_ writes: [Int], after mask: UInt64) -> Bool {
      history.matches(writes, leaves) { write(to: $0, after: mask) }
    }

    /// Whether a call has the right value. B1, first exception: an observer that has started with half of a transaction
    /// keeps this half until the transaction has ended.
    private func isNext(_ call: [Int], after last: [Int]?, _ mask: UInt64) -> Bool {
      leaves.indices.allSatisfy { index in
        let (new, right) = (call[index], write(to: leaves[index].root, after: mask))
        let mayBeHalf = settled > 0 && history.time(of: new) <= watcher.end
        let kept = last?[index] ?? (mayBeHalf ? new : right)
        let isKept = history.position(kept) > history.position(right)
        return history.areSame(new, isKept ? kept : right, grain: leaves[index].grain)
      }
    }

    /// Whether a batch changes the node: a root's write, or behind `removeDuplicates` another one.
    private func isChange(_ batch: History.Batch, from state: [Int], after mask: UInt64) -> Bool {
      zip(leaves, state).contains { leaf, old in
        guard batch.writes[leaf.root] != nil else { return false }
        let new = write(to: leaf.root, after: mask)
        return !leaf.isSettled || !history.areSame(old, new, grain: leaf.grain)
      }
    }

    /// B1, first exception: until the transactions that were open during the subscription have ended, an observer may miss
    /// changes in between. B4: a loop over values may skip values.
    private func maySkip(_ batch: History.Batch, after mask: UInt64) -> Bool {
      watcher.style == .loop || batch.time <= settled
        || batches.indices.contains { batches[$0].isAwaited && mask >> UInt64($0) & 1 == 0 }
    }
  }
#endif

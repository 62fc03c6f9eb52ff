/// What a source announces to what derives from it: which change it will bring, and when.
struct Step {
  enum Kind {
    /// One that it has not announced before, as the last.
    case new

    /// One that it has announced, in the same order as before.
    case again

    /// One that it has announced, but now as the last.
    case moved

    /// One that it has announced, merged with all those after it.
    case merged
  }

  let kind: Kind

  /// The source's own number for the change from now on.
  let origin: UInt64

  /// The source's number for it, or for the first of what was merged, until now.
  let former: UInt64
}

extension AnyChannel {
  /// Notes, in all that derives from this channel, that a change is on its way. The lock must be
  /// held.
  ///
  /// Two passes reach the channels that they share in the same order. Along a chain, a channel is
  /// locked before its source is unlocked; from the first branch on, all channels stay locked until
  /// the end, and those with several sources are visited when all of their sources have been. It is
  /// a loop, because recursion along a long chain would overflow the stack.
  ///
  /// - Parameters:
  ///   - change: The number of a transaction, or of one write.
  ///   - isMoved: Whether the change was announced before, and now comes as the last one.
  @usableFromInline
  final func invalidateDownstream(_ change: UInt64, isMoved: Bool) {
    // While the variable is locked, no input goes out of use, so that nothing on the way is
    // released: see `deactivateIfUnobserved`.
    var channel = Unmanaged.passUnretained(self)
    var step = Step(kind: isMoved ? .moved : .new, origin: change, former: change)
    while true {
      guard let node = channel._withUnsafeGuaranteedRef({ $0.onlyInputInUse }) else { break }
      let next: (target: Unmanaged<AnyChannel>, onward: Step)? = node._withUnsafeGuaranteedRef {
        let input = unsafeDowncast($0, to: AnyInput.self)
        guard !input.derivation.endsInvalidation else { return nil }
        input.target.lock.lock()
        return (.passUnretained(input.target), input.note(change, step))
      }
      unlock(channel)
      guard let next else { return }
      (channel, step) = next
    }
    if channel._withUnsafeGuaranteedRef({ $0.input(after: nil) }) != nil {
      var walk = Walk(change: change)
      walk.run(from: channel.takeUnretainedValue(), step)
    }
    unlock(channel)
  }

  /// Unlocks a channel on the way, unless it is this one, which the caller has locked.
  private func unlock(_ channel: Unmanaged<AnyChannel>) {
    channel._withUnsafeGuaranteedRef { if $0 !== self { $0.lock.unlock() } }
  }

  private final var onlyInputInUse: Unmanaged<Dust>? {
    guard let first = input(after: nil), input(after: first) == nil else { return nil }
    return first
  }

  /// The next input in use after one, or the first.
  ///
  /// One that is cleaned, and still linked because a thread is delivering, is skipped: its target
  /// may have another by now, and would be visited twice. Relaxed, because inputs are marked as
  /// cleaned under this lock.
  fileprivate final func input(after node: Unmanaged<Dust>?) -> Unmanaged<Dust>? {
    var next = node.map { $0._withUnsafeGuaranteedRef { $0.next } } ?? first
    var isFirst = node == nil
    while let candidate = next, isFirst || candidate.toOpaque() != first?.toOpaque() {
      let flags = candidate._withUnsafeGuaranteedRef { $0.flags.load(ordering: .relaxed) }
      guard flags & Dust.input != 0 else { return nil }
      if flags & Dust.cleaned == 0 { return candidate }
      next = candidate._withUnsafeGuaranteedRef { $0.next }
      isFirst = false
    }
    return nil
  }
}

/// The part of a pass from the first branch on.
private struct Walk {
  let change: UInt64

  /// Locked channels, with what derives from them still to be visited.
  var open: [(channel: AnyChannel, step: Step)] = []

  /// What those with several sources are still to note, the deepest first; that of one and the same is
  /// together, whatever its order. Unretained, because no input goes out of use meanwhile.
  var pending: [(input: Unmanaged<AnyInput>, step: Step)] = []

  var locked: [AnyChannel] = []

  /// Visits all that derives from a channel, which must be locked.
  mutating func run(from channel: AnyChannel, _ step: Step) {
    descend(from: channel, step)
    while true {
      if let (channel, step) = open.popLast() {
        descend(from: channel, step)
      } else if let target = pending.last?.input.takeUnretainedValue().target {
        target.lock.lock()
        locked.append(target)
        // All that its sources announce is there by now, next to each other.
        let first =
          pending.lastIndex { $0.input.takeUnretainedValue().target !== target }.map { $0 + 1 } ?? 0
        let onward = pending[first].input.takeUnretainedValue().derivation
          .note(change, pending[first...], in: target)
        pending.removeSubrange(first...)
        descend(from: target, onward)
      } else {
        break
      }
    }
    for channel in locked { channel.lock.unlock() }
  }

  private mutating func descend(from channel: AnyChannel, _ step: Step) {
    var next = channel.input(after: nil)
    while let node = next {
      let input = unsafeDowncast(node.takeUnretainedValue(), to: AnyInput.self)
      next = channel.input(after: node)
      guard input.derivation.sources.count == 1 else {
        add(input, step)
        continue
      }
      guard !input.derivation.endsInvalidation else { continue }
      // Other passes reach a channel with one source only through that source, which is locked.
      input.target.lock.lock()
      let onward = input.note(change, step)
      if input.target.hasInputs {
        locked.append(input.target)
        open.append((input.target, onward))
      } else {
        input.target.lock.unlock()
      }
    }
  }

  private mutating func add(_ input: AnyInput, _ step: Step) {
    var (low, high) = (0, pending.count)
    while low < high {
      let middle = (low + high) / 2
      let other = pending[middle].input.takeUnretainedValue()
      if other.isDeeper(than: input) { low = middle + 1 } else { high = middle }
    }
    pending.insert((.passUnretained(input), step), at: low)
  }
}

extension AnyInput {
  /// Whether its target comes after the other's in every pass.
  fileprivate func isDeeper(than other: AnyInput) -> Bool {
    (derivation.depth, target.rank) > (other.derivation.depth, other.target.rank)
  }

  /// Notes that the source will bring a change, unless the target is a relay, which passes the step
  /// on. The target must be locked.
  ///
  /// - Returns: The step with which the invalidation goes on downstream.
  fileprivate func note(_ change: UInt64, _ step: Step) -> Step {
    guard !derivation.isRelay else { return step }
    return derivation.note(change, CollectionOfOne((.passUnretained(self), step)), in: target)
  }
}

/// One walk down from a variable to all that derives from it.
struct Invalidation {
  /// What tells the change from all others: the number of a transaction, or of one write.
  let change: UInt64

  /// What tells this walk from the others of the same change.
  let pass: UInt64
}

/// How a change comes from a source to what derives from it.
struct Step {
  enum Kind {
    /// As one that the source has not announced before.
    case new

    /// As one that it has announced, in the place that it has.
    case again

    /// As one that it has announced, and which now comes as its last.
    case moved

    /// As one with all that was to come after it.
    case merged
  }

  let kind: Kind

  /// Whether what it brought is taken out of its place.
  var takesBack: Bool { kind == .moved || kind == .merged }

  /// What the source calls the change from now on: a number of its own.
  let origin: UInt64

  /// What the source has called it, or the first part of it, before.
  let former: UInt64
}

extension AnyChannel {
  /// Tells all that derives from this channel that a change is on its way; the lock is held.
  ///
  /// Two walks come to all places in the same order. Along a chain, a place is locked before the one
  /// above it is unlocked; from the first branch on, all places stay locked until the end, and those
  /// with several sources are come to when all of their sources have been. It is no recursion, so that
  /// a long chain takes no stack.
  ///
  /// - Parameters:
  ///   - change: The number of a transaction, or of one write.
  ///   - isMoved: Whether this channel's observers know of the change, which now comes as the last one.
  @usableFromInline
  final func invalidateDownstream(_ change: UInt64, isMoved: Bool = false, on thread: CurrentThread)
  {
    thread.pointee.invalidations &+= 1
    let invalidation = Invalidation(change: change, pass: thread.pointee.invalidations)
    // Nothing on the way is let go of as long as the variable is locked: see `deactivateIfUnobserved`.
    var channel = Unmanaged.passUnretained(self)
    var step = Step(kind: isMoved ? .moved : .new, origin: change, former: change)
    while true {
      guard let node = channel._withUnsafeGuaranteedRef({ $0.onlyInputInUse }) else { break }
      let next: (target: Unmanaged<AnyChannel>, onward: Step?)? = node._withUnsafeGuaranteedRef {
        let input = unsafeDowncast($0, to: AnyInput.self)
        guard !input.derivation.isEnd else { return nil }
        input.target.lock.lock()
        return (.passUnretained(input.target), input.note(invalidation, step, on: thread))
      }
      unlock(channel)
      guard let next else { return }
      channel = next.target
      guard let onward = next.onward else { return unlock(channel) }
      step = onward
    }
    if channel._withUnsafeGuaranteedRef({ $0.firstInputInUse }) != nil {
      var walk = Walk(invalidation, on: thread)
      walk.run(from: channel.takeUnretainedValue(), step)
    }
    unlock(channel)
  }

  /// Unlocks a channel on the way, unless it is this one, where the way begins.
  private func unlock(_ channel: Unmanaged<AnyChannel>) {
    channel._withUnsafeGuaranteedRef { if $0 !== self { $0.lock.unlock() } }
  }

  fileprivate final var firstInputInUse: Unmanaged<Dust>? { input(from: first) }

  private final var onlyInputInUse: Unmanaged<Dust>? {
    guard let first = firstInputInUse, input(after: first) == nil else { return nil }
    return first
  }

  /// The next input after another.
  fileprivate final func input(after node: Unmanaged<Dust>) -> Unmanaged<Dust>? {
    let next = node._withUnsafeGuaranteedRef { $0.next }
    return next?.toOpaque() == first?.toOpaque() ? nil : input(from: next)
  }

  /// The next input from here on.
  ///
  /// One that is cleaned and still there, for somebody is telling it, is left out. The target may have
  /// another by now, and would be come to twice. Inputs are marked as cleaned under this lock: relaxed.
  private func input(from node: Unmanaged<Dust>?) -> Unmanaged<Dust>? {
    var node = node
    while let candidate = node {
      let flags = candidate._withUnsafeGuaranteedRef { $0.flags.load(ordering: .relaxed) }
      guard flags & Dust.input != 0 else { return nil }
      if flags & Dust.cleaned == 0 { return candidate }
      let next = candidate._withUnsafeGuaranteedRef { $0.next }
      node = next?.toOpaque() == first?.toOpaque() ? nil : next
    }
    return nil
  }
}

/// The part of a invalidation from the first branch on.
private struct Walk {
  let invalidation: Invalidation
  let thread: CurrentThread

  /// What is locked, with all that derives from it yet to be come to.
  private var open: [(channel: AnyChannel, step: Step)] = []

  /// What is yet to be noted by those with several sources, the deepest first.
  private var pending: [(input: AnyInput, step: Step)] = []

  /// Which of them was locked last.
  private var current: AnyChannel?

  private var locked: [AnyChannel] = []

  init(_ invalidation: Invalidation, on thread: CurrentThread) {
    self.invalidation = invalidation
    self.thread = thread
  }

  /// Goes to all that derives from a channel, which is locked.
  mutating func run(from channel: AnyChannel, _ step: Step) {
    goOn(from: channel, step)
    while true {
      if let (channel, step) = open.popLast() {
        goOn(from: channel, step)
      } else if let (input, step) = pending.popLast() {
        if current !== input.target {
          input.target.lock.lock()
          locked.append(input.target)
          current = input.target
        }
        if let onward = input.note(invalidation, step, on: thread) {
          goOn(from: input.target, onward)
        }
      } else {
        break
      }
    }
    for channel in locked { channel.lock.unlock() }
  }

  private mutating func goOn(from channel: AnyChannel, _ step: Step) {
    var next = channel.firstInputInUse
    while let node = next {
      let input = unsafeDowncast(node.takeUnretainedValue(), to: AnyInput.self)
      next = channel.input(after: node)
      guard input.derivation.sources.count == 1 else {
        add(input, step)
        continue
      }
      guard !input.derivation.isEnd else { continue }
      // With one source only, nobody comes there but from here, where all others wait.
      input.target.lock.lock()
      if let onward = input.note(invalidation, step, on: thread), input.target.hasInputs {
        locked.append(input.target)
        open.append((input.target, onward))
      } else {
        input.target.lock.unlock()
      }
    }
  }

  /// Of one constant's, what takes something back is taken out first: what it stood in the way of may go
  /// behind it then. Otherwise that is what is noted first.
  private mutating func add(_ input: AnyInput, _ step: Step) {
    var (low, high) = (0, pending.count)
    while low < high {
      let middle = (low + high) / 2
      let other = pending[middle]
      let isBehind =
        other.input.target === input.target
        ? step.takesBack && !other.step.takesBack : other.input.isDeeper(than: input)
      if isBehind { low = middle + 1 } else { high = middle }
    }
    pending.insert((input, step), at: low)
  }
}

extension AnyInput {
  /// Whether it leads to a place that comes after another in all walks.
  fileprivate func isDeeper(than other: AnyInput) -> Bool {
    let (depth, otherDepth) = (derivation.depth, other.derivation.depth)
    return depth == otherDepth
      ? target.rank > other.target.rank
      : depth > otherDepth
  }

  /// Notes that the source will bring a change; the target is locked.
  ///
  /// - Returns: How it goes on downstream, if it does.
  fileprivate func note(_ invalidation: Invalidation, _ step: Step, on thread: CurrentThread)
    -> Step?
  {
    derivation.isRelay
      ? step : derivation.note(invalidation, step, from: self, in: target, on: thread)
  }
}

import Dispatch

/// How a derived constant hangs together with what it is derived from, and which changes it awaits.
///
/// While it is observed, a derived constant observes its sources, through an `AnyInput` each. A write
/// to a variable first *marks* all that derives from it: each takes an entry for that change, in which
/// it notes the sources that will bring it. An entry is computed and told when it is the first and all
/// that it awaits has arrived. So one change comes out as one call, whatever the shape of the graph,
/// and changes come out in the order in which they were marked.
///
/// Invariants:
/// - `entries`, `latest`, each source's `input` and what an input awaits are guarded by the derived
///   channel's lock. So is `isActive`, which besides changes only while all roots are locked.
/// - Locks are taken downstream: a variable's first, then that of what derives from it.
/// - The numbers of the entries that one input awaits only grow, so that what arrives, in order, meets
///   them in order.
/// - An entry is taken out by the channel's deliverer. Whoever completes the first entry while nobody
///   delivers, and each deliverer that leaves a complete one behind, takes a place in its round for it.
@usableFromInline
final class Derivation: @unchecked Sendable {
  @usableFromInline let sources: [AnySource]

  /// The variables that all of this derives from, in the order of their addresses.
  @usableFromInline let roots: [Root]

  /// The variable, if there is one only.
  @usableFromInline let onlyRoot: Root?

  /// Whether that is the only source too.
  @usableFromInline let isDirect: Bool

  /// Whether nothing but `map` lies between here and the one variable.
  let isChain: Bool

  /// Computes and tells the first entry; made where the type is known, see `Delivery`.
  @usableFromInline let deliver: @Sendable (AnyChannel, UInt64, CurrentThread) -> Void

  @exclusivity(unchecked) @usableFromInline var isActive = false

  /// The changes that are on their way here, in order.
  @exclusivity(unchecked) @usableFromInline var entries = FIFO<Entry>()

  /// Entries are numbered without gaps; this is the number of the last one.
  @exclusivity(unchecked) @usableFromInline var lastNumber: UInt64 = 0

  /// The number of each thread's latest entry, as far as it may still be there.
  @exclusivity(unchecked) private var latest: [(thread: UInt64, number: UInt64)] = []

  /// Where a marking has come from that has gone on downstream; belongs to it, as the lock does.
  @exclusivity(unchecked) fileprivate var trail: (channel: AnyChannel, node: Unmanaged<Dust>)?

  @usableFromInline
  init(
    from sources: [AnySource],
    isMap: Bool,
    deliver: @escaping @Sendable (AnyChannel, UInt64, CurrentThread) -> Void
  ) {
    self.sources = sources
    self.deliver = deliver
    isChain = isMap && (sources[0].channel.derivation?.isChain ?? true)
    roots = sources.count == 1 ? sources[0].roots : Root.union(of: sources)
    onlyRoot = roots.count == 1 ? roots[0] : nil
    isDirect = sources.count == 1 && !sources[0].channel.isDerived
  }

  /// One change that is on its way to a derived constant.
  @usableFromInline
  struct Entry {
    let change: UInt64

    /// The marking that came here last.
    var pass: UInt64

    /// The channel's version then: those are told who had subscribed before.
    @usableFromInline var version: UInt64

    /// How many sources have not brought it yet.
    @usableFromInline var awaited: Int32 = 1

    init(of marking: Marking, version: UInt64) {
      change = marking.change
      pass = marking.pass
      self.version = version
    }
  }

  /// A variable, and how much its version counts in that of what derives from it.
  @usableFromInline
  struct Root {
    @usableFromInline let channel: AnyChannel
    @usableFromInline let weight: Fingerprint

    fileprivate static func union(of sources: [AnySource]) -> [Root] {
      var weights: [ObjectIdentifier: Root] = [:]
      for source in sources {
        for root in source.roots {
          let id = ObjectIdentifier(root.channel)
          let weight = root.weight * source.weight + (weights[id]?.weight ?? .zero)
          weights[id] = Root(channel: root.channel, weight: weight)
        }
      }
      return weights.sorted { $0.key < $1.key }.map(\.value)
    }
  }
}

// MARK: - Entries

extension Derivation {
  /// Notes that a source will bring a change; the lock is held.
  ///
  /// Each marking makes the entry newer than whoever has subscribed by then: what a transaction writes
  /// after that is told to them too.
  ///
  /// - Returns: Whether this marking has not come here before.
  fileprivate func await(_ marking: Marking, from input: AnyInput, in channel: AnyChannel) -> Bool {
    channel.version &+= 1
    if let number = number(of: marking.change) {
      let index = Int32(truncatingIfNeeded: number &- firstNumber)
      let isAwaited = input.isAwaiting(number)
      if isAwaited || input.await(number) {
        if !isAwaited { entries[index].awaited += 1 }
        defer { entries[index].pass = marking.pass }
        entries[index].version = channel.version
        return entries[index].pass != marking.pass
      }
    }
    lastNumber &+= 1
    entries.append(Entry(of: marking, version: channel.version))
    _ = input.await(lastNumber)
    noteLatest(of: marking.change >> 40, is: lastNumber)
    return true
  }

  /// The number of the entry for a change, which can only be the latest of its thread.
  private func number(of change: UInt64) -> UInt64? {
    guard !entries.isEmpty, let last = latest.first(where: { $0.thread == change >> 40 }),
      last.number >= firstNumber,
      entries[Int32(truncatingIfNeeded: last.number &- firstNumber)].change == change
    else { return nil }
    return last.number
  }

  private func noteLatest(of thread: UInt64, is number: UInt64) {
    let first = firstNumber
    if let index = latest.firstIndex(where: { $0.thread == thread || $0.number < first }) {
      latest[index] = (thread, number)
      // One thread, one note: the place may have been that of another thread, before its own.
      if let other = latest[(index + 1)...].firstIndex(where: { $0.thread == thread }) {
        latest.remove(at: other)
      }
    } else {
      latest.append((thread, number))
    }
  }

  /// The number of the first entry; the lock is held.
  @inlinable
  var firstNumber: UInt64 { lastNumber &+ 1 &- UInt64(truncatingIfNeeded: entries.count) }

  /// Notes that a source has brought a change; the lock is held.
  ///
  /// - Returns: Whether the first entry is complete by that.
  @inlinable
  func arrive(at number: UInt64) -> Bool {
    let index = Int32(truncatingIfNeeded: number &- firstNumber)
    entries[index].awaited -= 1
    return index == 0 && entries[0].awaited == 0
  }

  /// Whether the first entry can be told; the lock is held.
  @inlinable
  var isReady: Bool { !entries.isEmpty && entries[0].awaited == 0 }

  /// Takes over what the sources have brought for an entry; answers what they come to. Only the
  /// deliverer calls this.
  @inlinable
  func advance(to number: UInt64) -> Revision {
    var revision = Revision()
    for source in sources {
      guard let input = source.input else { continue }
      input.advance(input, number)
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * input.revision.edition
    }
    return revision
  }

  /// A place in a round at which the first entry is told.
  @inlinable
  func delivery(of channel: AnyChannel) -> Delivery {
    Delivery(of: channel, at: 0, by: deliver)
  }
}

// MARK: - Marking

/// One walk down from a variable to all that derives from it.
struct Marking {
  /// What tells the change from all others: the number of a transaction, or of one write.
  let change: UInt64

  /// What tells this walk from the others of the same change.
  let pass: UInt64
}

extension AnyChannel {
  /// Tells all that derives from this channel that a change is on its way; the lock is held.
  ///
  /// It goes down the graph with the locks of its path in hand, so that two changes come to every
  /// place in the same order; it keeps its way in the graph itself, and the stack stays flat.
  ///
  /// - Parameter change: The number of a transaction, or of one write.
  @usableFromInline
  final func mark(_ change: UInt64, on thread: CurrentThread) {
    thread.pointee.markings &+= 1
    let marking = Marking(change: change, pass: thread.pointee.markings)
    var channel = self
    var next = firstInput
    while true {
      if let node = next {
        let goesOn = node._withUnsafeGuaranteedRef { dust in
          unsafeDowncast(dust, to: AnyInput.self).note(marking)
        }
        if goesOn {
          let input = unsafeDowncast(node.takeUnretainedValue(), to: AnyInput.self)
          input.derivation.trail = (channel, node)
          channel = input.target
          next = channel.firstInput
        } else {
          next = channel.input(after: node)
        }
      } else {
        guard channel !== self, let derivation = channel.derivation, let trail = derivation.trail
        else { return }
        derivation.trail = nil
        channel.lock.unlock()
        channel = trail.channel
        next = channel.input(after: trail.node)
      }
    }
  }

  /// Inputs come before all other observations.
  @inlinable
  final var firstInput: Unmanaged<Dust>? {
    guard let first, first._withUnsafeGuaranteedRef({ $0.isInput }) else { return nil }
    return first
  }

  private func input(after node: Unmanaged<Dust>) -> Unmanaged<Dust>? {
    guard let next = node._withUnsafeGuaranteedRef({ $0.next }),
      next.toOpaque() != first?.toOpaque(), next._withUnsafeGuaranteedRef({ $0.isInput })
    else { return nil }
    return next
  }
}

extension AnyInput {
  /// Notes that the source will bring a change.
  ///
  /// - Returns: Whether others are to be told of it downstream; then the target's lock stays locked.
  fileprivate final func note(_ marking: Marking) -> Bool {
    target.lock.lock()
    if isLinked, derivation.await(marking, from: self, in: target), target.firstInput != nil {
      return true
    }
    target.lock.unlock()
    return false
  }
}

// MARK: - Roots

extension Derivation {
  /// Locks all variables at once, which stops every change on the way here.
  ///
  /// It waits for one lock only while it holds none, for the lock of a variable may be held by a
  /// mutation, whose body may want another of these.
  func lockRoots() {
    var first = 0
    while true {
      roots[first].channel.acquire()
      guard
        let busy = roots.indices.first(where: { $0 != first && !roots[$0].channel.tryAcquire() })
      else { return }
      for index in roots.indices where index == first || index < busy {
        roots[index].channel.lock.unlock()
      }
      first = busy
    }
  }

  /// Locks all variables at once, at a time when no other thread is in the midst of a reduce, which may
  /// have written to some of them and not to others yet.
  ///
  /// Nothing says which dispatcher it is that the variables follow, or whether any; so it looks at all.
  /// It waits for no reduce without a bound, for that may be waiting for what this thread holds.
  func lockRootsBetweenTurns(on thread: CurrentThread) {
    lockRoots()
    guard onlyRoot == nil else { return }
    let start = DispatchTime.now().uptimeNanoseconds
    while LiveRegistries.shared.isAnyTurnHeld(besides: thread.id),
      DispatchTime.now().uptimeNanoseconds < start + Derivation.longestWait
    {
      unlockRoots()
      thread.yieldProcessor()
      lockRoots()
    }
  }

  /// 5 ms: many reduces, and not yet a frame.
  private static let longestWait: UInt64 = 5_000_000

  func unlockRoots() {
    for root in roots { root.channel.lock.unlock() }
  }

  /// What tells the present state of the variables from all others; they are locked.
  var state: Fingerprint {
    roots.reduce(.zero) { $0 + $1.weight * Fingerprint($1.channel.version) }
  }
}

extension AnyChannel {
  /// Takes the lock if nobody has it, and traps if this thread is inside a mutation under it.
  fileprivate final func tryAcquire() -> Bool {
    if lock.isHeldForUser, lock.isHeld(by: CurrentThread.current.id) { trapInMutation() }
    return lock.tryLock()
  }
}

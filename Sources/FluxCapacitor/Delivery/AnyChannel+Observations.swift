extension AnyChannel {
  /// Adds an observation as the last one; the lock is held.
  @inlinable
  final func link(_ dust: Dust) {
    let node = Unmanaged.passRetained(dust)
    dust.since = version
    dust.channel = self
    guard let first else {
      dust.next = node
      dust.previous = node
      first = node
      return
    }
    let last = first._withUnsafeGuaranteedRef { $0.previous }
    dust.next = first
    dust.previous = last
    last?._withUnsafeGuaranteedRef { $0.next = node }
    first._withUnsafeGuaranteedRef { $0.previous = node }
  }

  /// Adds an input, before all other observations; the lock is held.
  final func link(input: Dust) {
    link(input)
    first = .passUnretained(input)
  }

  /// Calls a closure with each observation of a stretch of the ring, until that returns `false`; it may take
  /// out the one that it is called with.
  @inlinable
  static func walk(
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    _ body: (Dust) -> Bool
  ) {
    var node = first
    while true {
      // The last one's `next` is not for us to read: a new observation may be joining behind it.
      let next =
        node.toOpaque() == last?.toOpaque() ? nil : node._withUnsafeGuaranteedRef { $0.next }
      guard node._withUnsafeGuaranteedRef(body), let next else { return }
      node = next
    }
  }

  /// The first observation that is no input; the lock is held.
  @inlinable
  final var firstObserver: Unmanaged<Dust>? {
    guard let first else { return nil }
    var observer: Unmanaged<Dust>?
    AnyChannel.walk(from: first, through: first._withUnsafeGuaranteedRef { $0.previous }) { dust in
      if !dust.isInput { observer = .passUnretained(dust) }
      return dust.isInput
    }
    return observer
  }

  /// Calls a closure with each observation; the lock is held.
  private final func forEachObservation(_ body: (Dust) -> Void) {
    guard let first else { return }
    AnyChannel.walk(from: first, through: first._withUnsafeGuaranteedRef { $0.previous }) {
      body($0)
      return true
    }
  }

  /// Takes an observation out, with the ring's reference to it; the lock is held.
  @inlinable
  final func unlink(_ dust: Dust, into detached: inout DetachedObservations) {
    let node = Unmanaged.passUnretained(dust)
    if let next = dust.next, next.toOpaque() != node.toOpaque() {
      let previous = dust.previous
      previous?._withUnsafeGuaranteedRef { $0.next = next }
      next._withUnsafeGuaranteedRef { $0.previous = previous }
      if first?.toOpaque() == node.toOpaque() { first = next }
    } else {
      first = nil
    }
    dust.next = nil
    detached.push(node)
  }

  /// Takes a cleaned observation out, now or when the delivery that is under way has ended.
  ///
  /// Inside a mutation of this very channel, the thread has the lock already: what the mutation
  /// throws away may clean its observation of it. Inside another's, it waits for no lock, whose holder
  /// may be waiting for that variable: it is taken out afterwards.
  @usableFromInline
  final func remove(_ dust: Dust) {
    var detached = DetachedObservations()
    let thread = CurrentThread.current
    let isMutating = lock.isHeld(by: thread.id)
    if !isMutating, thread.pointee.openMutations == 0 {
      lock.lock()
    } else if !isMutating, !lock.tryLock() {
      return afterMutation(on: thread) { $0.removeCleaned() }
    }
    if deliverer.thread != 0 {
      deliverer.hasCleaned = true
    } else if dust.next != nil {
      unlink(dust, into: &detached)
    }
    let isUnobserved = first == nil
    if !isMutating { lock.unlock() }
    detached.release()
    if isUnobserved { becameUnobserved() }
  }

  /// Takes out what could not be taken out at once.
  private func removeCleaned() {
    lock.lock()
    guard deliverer.thread != 0 else { return detachCleaned() }
    deliverer.hasCleaned = true
    lock.unlock()
  }

  /// Takes every cleaned observation out, for nobody delivers; takes the lock over.
  @usableFromInline
  final func detachCleaned() {
    var detached = DetachedObservations()
    detachCleaned(into: &detached)
    let isUnobserved = first == nil
    lock.unlock()
    detached.release()
    if isUnobserved { becameUnobserved() }
  }

  /// Does something when this thread has no variable's lock in hand any more.
  final func afterMutation(
    on thread: CurrentThread,
    do action: @escaping @Sendable (AnyChannel) -> Void
  ) {
    let delivery = Delivery(to: self, at: 0) { channel, _, _ in
      // The closure is that of this very channel.
      action(unsafeDowncast(channel, to: AnyChannel.self))
    }
    thread.append(delivery, isOwn: false)
  }

  /// Takes every cleaned observation out; the lock is held, and nobody delivers.
  @usableFromInline
  final func detachCleaned(into detached: inout DetachedObservations) {
    forEachObservation { dust in
      if dust.isCleaned { unlink(dust, into: &detached) }
    }
  }

  /// How many observe it, directly or through what derives from it. O(n).
  final var observerCount: Int {
    var observations: [Dust] = []
    lock.lock()
    forEachObservation { if !$0.isCleaned { observations.append($0) } }
    lock.unlock()
    return observations.reduce(0) { $0 + $1.observerCount }
  }

  /// Takes every observation out; the lock is held, and nobody delivers.
  @usableFromInline
  final func detachAll(into detached: inout DetachedObservations) {
    while let first { unlink(first.takeUnretainedValue(), into: &detached) }
  }
}

/// Observations that were taken out of a ring, to be released once its lock is open again.
///
/// They are chained through themselves, so that nothing is allocated and releasing is a loop.
@usableFromInline
struct DetachedObservations {
  @usableFromInline var head: Unmanaged<Dust>?

  @inlinable
  init() {}

  @inlinable
  mutating func push(_ node: Unmanaged<Dust>) {
    node._withUnsafeGuaranteedRef { $0.previous = head }
    head = node
  }

  /// Drops the ring's references, and what the observations hold.
  @inlinable
  func release() {
    if head != nil { releaseAll() }
  }

  @usableFromInline
  func releaseAll() {
    var next = head
    while let node = next {
      node._withUnsafeGuaranteedRef { dust in
        next = dust.previous
        dust.previous = nil
        dust.releaseContents(dust)
      }
      node.release()
    }
  }
}

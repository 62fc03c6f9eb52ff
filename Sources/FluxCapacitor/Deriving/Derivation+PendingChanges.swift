// The order of the changes that a derived constant awaits.

extension Derivation {
  /// Notes that sources will bring a change. The lock must be held.
  ///
  /// - Parameter steps: What those sources announce in this pass, all together: a step by itself would
  ///   be put in an order that the next one changes.
  /// - Returns: The step with which the invalidation goes on downstream.
  func note(
    _ change: UInt64,
    _ steps: some Collection<(input: Unmanaged<AnyInput>, step: Step)>,
    in channel: AnyChannel
  ) -> Step {
    // The first pending change that it belongs to already: its own or, if a source now brings it
    // together with others, the first of theirs.
    let known = number(of: change)
    var former = known
    var (news, last): (Int, UInt64) = (0, 0)
    var isMerged = false
    for (input, step) in steps {
      input._withUnsafeGuaranteedRef { input in
        let awaiting = awaits(step, from: input)
        if let number = awaiting ?? takeBack(step, from: input) {
          former = min(former ?? number, number)
        }
        guard awaiting == nil else { return }
        news += 1
        last = max(last, input.lastNumber)
        if step.kind == .merged { isMerged = true }
      }
    }
    let (kind, number) =
      former.map { reorder($0, isMerged, behind: last, in: channel) }
      ?? (.new, append(in: channel))
    if number != known { noteLatest(change, is: number) }
    for (input, step) in steps {
      input._withUnsafeGuaranteedRef { input in
        if awaits(step, from: input) == nil { input.arrivals.append((number, step.origin)) }
      }
    }
    let index = index(of: number)
    pendingChanges[index].awaited += Int32(news)
    return renew(index, kind, formerly: former ?? number, in: channel)
  }

  /// The pending change for which a source brings what it announces again in the order as before.
  private func awaits(_ step: Step, from input: AnyInput) -> UInt64? {
    guard step.kind == .again else { return nil }
    return input.arrivals.lastIndex { $0.origin == step.origin }.map { input.arrivals[$0].number }
  }

  /// Awaits all that is on its way to a source as an input joins it, as the first pending change of
  /// all: the source will bring it, in whatever order it is by then. The locks of the source, of that
  /// derivation and of the roots must be held.
  ///
  /// Parts of it are in the value that this starts with, so that nothing can come before it.
  func awaitPending(of upstream: Derivation, by input: AnyInput, in channel: AnyChannel) {
    guard !upstream.pendingChanges.isEmpty else { return }
    input.since = upstream.pendingChanges[0].version &- 1
    guard !isRelay else { return }
    channel.lock.withLock {
      if pendingChanges.isEmpty { channel.version &+= 1 }
      let base = pendingChanges.isEmpty ? append(in: channel, isBase: true) : lastNumber
      for index in 0..<upstream.pendingChanges.count {
        input.arrivals.append((base, upstream.pendingChanges[index].number))
      }
      pendingChanges[0].awaited += upstream.pendingChanges.count
      for (change, number) in upstream.latest where number >= upstream.pendingChanges[0].number {
        // Another source may have brought a later one of the same thread.
        let known = latest.first { $0.change >> 40 == change >> 40 }
        noteLatest(max(change, known?.change ?? 0), is: base)
      }
    }
  }

  /// Makes sure that a pending change is behind all that the sources bring before it.
  ///
  /// - Returns: What happened to it, and its number from now on.
  private func reorder(
    _ number: UInt64,
    _ isMerged: Bool,
    behind last: UInt64,
    in channel: AnyChannel
  ) -> (Step.Kind, UInt64) {
    if isMerged { return (.merged, merge(from: number)) }
    if number > last { return (.again, number) }
    return canMove(number)
      ? (.moved, move(number, in: channel)) : (.merged, merge(from: number))
  }

  /// Appends a pending change, and returns its number.
  private func append(in channel: AnyChannel, isBase: Bool = false) -> UInt64 {
    lastNumber &+= 1
    pendingChanges.append((lastNumber, channel.version, awaited: 0, isBase))
    return lastNumber
  }

  /// Gives a pending change a new version, so that those who have joined by now are called with it
  /// too, and those behind it as well: they bring what it doesn't. O(n) in their number.
  private func renew(
    _ first: Int32,
    _ kind: Step.Kind,
    formerly former: UInt64,
    in channel: AnyChannel
  ) -> Step {
    for index in first..<pendingChanges.count {
      channel.version &+= 1
      pendingChanges[index].version = channel.version
    }
    return Step(kind: kind, origin: pendingChanges[first].number, former: former)
  }

  /// Stops awaiting, in its former order, what the source will now bring in another.
  ///
  /// - Returns: The number of the first pending change that awaited it.
  private func takeBack(_ step: Step, from input: AnyInput) -> UInt64? {
    guard step.kind == .moved || step.kind == .merged else { return nil }
    var first: UInt64?
    while let last = input.arrivals.lastIndex(where: {
      step.kind == .moved ? $0.origin == step.former : $0.origin >= step.former
    }) {
      let number = input.arrivals.remove(at: last).number
      pendingChanges[index(of: number)].awaited -= 1
      first = number
    }
    return first
  }

  /// Whether a pending change can become the last one: it isn't the base, and no source that brings
  /// something for it brings anything after that.
  private func canMove(_ number: UInt64) -> Bool {
    var canMove = !pendingChanges[index(of: number)].isBase
    forEachInput { _, input in
      let isAwaited = input.arrivals.lastIndex { $0.number == number } != nil
      if isAwaited, input.lastNumber > number { canMove = false }
    }
    return canMove
  }

  /// Makes a pending change the last one, and returns its new number.
  private func move(_ number: UInt64, in channel: AnyChannel) -> UInt64 {
    var moved = pendingChanges.remove(at: index(of: number))
    lastNumber &+= 1
    moved.number = lastNumber
    // If it was the first, the next one may already be complete.
    if isReady, channel.deliverer.thread == 0 {
      CurrentThread.current.append(delivery(to: channel), isOwn: false)
    }
    pendingChanges.append(moved)
    renumber(number...number, as: lastNumber)
    return lastNumber
  }

  /// Merges a pending change with all those behind it, and returns the number of the result.
  private func merge(from first: UInt64) -> UInt64 {
    let start = index(of: first)
    var merged = pendingChanges[start]
    while pendingChanges.count > start + 1 {
      let later = pendingChanges.remove(at: pendingChanges.count - 1)
      merged.number = max(merged.number, later.number)
      merged.awaited += later.awaited
    }
    pendingChanges[start] = merged
    renumber(first...merged.number, as: merged.number)
    return merged.number
  }

  private func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    forEachInput { $1.renumber(numbers, as: number) }
    for index in latest.indices where numbers.contains(latest[index].number) {
      latest[index].number = number
    }
  }

  /// The number of the pending change for a change, which can only be its thread's latest.
  private func number(of change: UInt64) -> UInt64? {
    guard !pendingChanges.isEmpty, let latest = latest.first(where: { $0.change == change }),
      latest.number >= pendingChanges[0].number
    else { return nil }
    return latest.number
  }

  private func noteLatest(_ change: UInt64, is number: UInt64) {
    if let index = latest.firstIndex(where: { $0.change >> 40 == change >> 40 }) {
      latest[index] = (change, number)
    } else {
      latest.removeAll { $0.number < pendingChanges[0].number }
      latest.append((change, number))
    }
  }

  /// The index of a pending change. O(log n), or O(1) as long as none was moved or merged.
  @usableFromInline
  func index(of number: UInt64) -> Int32 {
    // Right if there are no gaps in the numbers.
    let guess = Int32(truncatingIfNeeded: number &- pendingChanges[0].number)
    if guess < pendingChanges.count, pendingChanges[guess].number == number { return guess }
    return pendingChanges.partitioningIndex { $0.number >= number }
  }

  /// Notes that a source has brought a change. The lock must be held.
  ///
  /// - Returns: Whether that completes the first pending change.
  @inlinable
  func arrive(at number: UInt64) -> Bool {
    if isRelay {
      // It wasn't noted beforehand, and awaits nothing else.
      pendingChanges.append((number, version: number, awaited: 0, isBase: false))
      return pendingChanges.count == 1
    }
    let index = index(of: number)
    pendingChanges[index].awaited -= 1
    return index == 0 && pendingChanges[0].awaited == 0
  }

  /// Whether the first pending change is complete. The lock must be held.
  @inlinable
  var isReady: Bool { !pendingChanges.isEmpty && pendingChanges[0].awaited == 0 }

  /// Calls a closure with the inputs in use, of which there are some only while this is active. The
  /// lock must be held, or this thread be the deliverer.
  @inlinable
  @inline(__always)
  func forEachInput(_ body: (AnySource, AnyInput) -> Void) {
    for index in sources.indices {
      // Unretained, because this owns its sources, and what they say of their input.
      Unmanaged.passUnretained(sources[index])._withUnsafeGuaranteedRef { source in
        source.input?._withUnsafeGuaranteedRef { body(source, $0) }
      }
    }
  }

  /// Removes the first pending change, and takes what the sources have brought for it. The lock must
  /// be held.
  @inlinable
  func takeFirst() {
    guard let change = pendingChanges.popFirst() else { return }
    takenVersion = change.version
    forEachInput { _, input in
      if input.hasArrived(for: change.number) { input.take(input, change.number) }
    }
  }

  /// Uses what was taken. Only the deliverer calls this.
  ///
  /// - Returns: The revision that results, and whether the value of any source has changed.
  @inlinable
  func advance() -> (Revision, isChanged: Bool) {
    var revision = Revision()
    var isChanged = false
    forEachInput { source, input in
      if input.hasTaken {
        let before = input.revision.edition
        input.advance(input)
        let edition = input.revision.edition
        if edition != before, !source.mayKeepValues || !input.hasJoined(with: edition) {
          isChanged = true
        }
      }
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * input.revision.edition
    }
    return (revision, isChanged)
  }

  /// A place in a round, in which the first pending change is delivered.
  @inlinable
  func delivery(to channel: AnyChannel) -> PendingDelivery {
    PendingDelivery(to: channel, at: 0, by: deliver)
  }
}

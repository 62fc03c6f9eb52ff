// Which changes a derived constant awaits, and in which order.

extension Derivation {
  /// Notes that a source will bring a change; the lock is held.
  ///
  /// - Returns: How the invalidation goes on downstream, if it does.
  func note(
    _ invalidation: Invalidation,
    _ step: Step,
    from input: AnyInput,
    in channel: AnyChannel,
    on thread: CurrentThread
  ) -> Step? {
    if step.kind == .again, let number = input.number(of: step.origin) {
      return renew(number, .again, formerly: number, for: invalidation, in: channel)
    }
    let takenBack = takeBack(step, from: input)
    let known = number(of: invalidation.change)
    // The change's own entry or, if it comes with others, the first one of theirs.
    guard let former = known.map({ min($0, takenBack ?? $0) }) ?? takenBack else {
      return append(invalidation, step, from: input, in: channel)
    }
    let (kind, number) = place(former, step, behind: input.lastAwaited, on: thread, in: channel)
    noteLatest(invalidation.change, is: number)
    input.await(number, as: step.origin)
    pendingChanges[index(of: number)].awaited += 1
    return renew(number, kind, formerly: former, for: invalidation, in: channel)
  }

  /// Sees to it that an entry is behind all that a source brings before it.
  ///
  /// - Returns: How it comes to be, and its number then.
  private func place(
    _ number: UInt64,
    _ step: Step,
    behind last: UInt64,
    on thread: CurrentThread,
    in channel: AnyChannel
  ) -> (Step.Kind, UInt64) {
    if step.kind == .merged { return (.merged, merge(from: number)) }
    if number > last { return (.again, number) }
    return canMove(number)
      ? (.moved, move(number, on: thread, in: channel)) : (.merged, merge(from: number))
  }

  private func append(
    _ invalidation: Invalidation,
    _ step: Step,
    from input: AnyInput,
    in channel: AnyChannel
  ) -> Step {
    channel.version &+= 1
    lastNumber &+= 1
    pendingChanges.append(
      PendingChange(
        number: lastNumber,
        pass: invalidation.pass,
        version: channel.version,
        awaited: 1
      )
    )
    input.await(lastNumber, as: step.origin)
    noteLatest(invalidation.change, is: lastNumber)
    return Step(kind: .new, origin: lastNumber, former: lastNumber)
  }

  /// Makes an entry newer than whoever has subscribed by now: it is told to them too.
  private func renew(
    _ number: UInt64,
    _ kind: Step.Kind,
    formerly former: UInt64,
    for invalidation: Invalidation,
    in channel: AnyChannel
  ) -> Step? {
    let index = index(of: number)
    // Behind a walk's first step here, which has gone on, another that changes nothing needs not.
    if kind == .again, pendingChanges[index].pass == invalidation.pass { return nil }
    channel.version &+= 1
    pendingChanges[index].pass = invalidation.pass
    pendingChanges[index].version = channel.version
    return Step(kind: kind, origin: number, former: former)
  }

  /// Has an input no more await what its source will bring in another place.
  ///
  /// - Returns: The number of the first entry that it awaited for that.
  private func takeBack(_ step: Step, from input: AnyInput) -> UInt64? {
    switch step.kind {
    case .new, .again:
      return nil
    case .moved:
      return takeBackLast(from: input) { $0 == step.former }
    case .merged:
      var first: UInt64?
      while let number = takeBackLast(from: input, where: { $0 >= step.former }) { first = number }
      return first
    }
  }

  private func takeBackLast(from input: AnyInput, where isTaken: (UInt64) -> Bool) -> UInt64? {
    guard let place = input.awaited.lastIndex(where: { isTaken($0.origin) }) else { return nil }
    let number = input.awaited.remove(at: place).number
    pendingChanges[index(of: number)].awaited -= 1
    return number
  }

  /// Whether no source brings something behind an entry that is to go behind the others.
  private func canMove(_ number: UInt64) -> Bool {
    sources.allSatisfy { source in
      guard let input = source.input else { return true }
      return input.lastAwaited <= number || !input.holds(number)
    }
  }

  /// Makes an entry the last one; answers its new number.
  private func move(_ number: UInt64, on thread: CurrentThread, in channel: AnyChannel) -> UInt64 {
    var entry = pendingChanges.remove(at: index(of: number))
    lastNumber &+= 1
    entry.number = lastNumber
    // What was waiting behind it may have arrived.
    if isReady, channel.deliverer.thread == 0 {
      thread.append(delivery(to: channel), isOwn: false)
    }
    pendingChanges.append(entry)
    renumber(number...number, as: lastNumber)
    return lastNumber
  }

  /// Makes one entry of this and all behind it; answers its number.
  private func merge(from first: UInt64) -> UInt64 {
    let start = index(of: first)
    var merged = pendingChanges[start]
    while pendingChanges.count > start + 1, let later = pendingChanges.popLast() {
      merged.number = max(merged.number, later.number)
      merged.awaited += later.awaited
    }
    pendingChanges[start] = merged
    renumber(first...merged.number, as: merged.number)
    return merged.number
  }

  private func renumber(_ numbers: ClosedRange<UInt64>, as number: UInt64) {
    for source in sources { source.input?.renumber(numbers, as: number) }
    for index in latest.indices where numbers.contains(latest[index].number) {
      latest[index].number = number
    }
  }

  /// The number of the entry for a change, which can only be the latest of its thread.
  private func number(of change: UInt64) -> UInt64? {
    guard !pendingChanges.isEmpty, let latest = latest.first(where: { $0.change == change }),
      latest.number >= pendingChanges[0].number
    else { return nil }
    return latest.number
  }

  private func noteLatest(_ change: UInt64, is number: UInt64) {
    let first = pendingChanges[0].number
    if let index = latest.firstIndex(where: {
      $0.change >> 40 == change >> 40 || $0.number < first
    }) {
      latest[index] = (change, number)
      // One thread, one note: the place may have been that of another thread, before its own.
      if let other = latest[(index + 1)...].firstIndex(where: { $0.change >> 40 == change >> 40 }) {
        latest.remove(at: other)
      }
    } else {
      latest.append((change, number))
    }
  }

  /// Where an entry is. O(log n), and at once if none was moved.
  @usableFromInline
  func index(of number: UInt64) -> Int32 {
    // Without gaps it would be there.
    let guess = Int32(truncatingIfNeeded: number &- pendingChanges[0].number)
    if guess < pendingChanges.count, pendingChanges[guess].number == number { return guess }
    return pendingChanges.partitioningIndex { $0.number >= number }
  }

  /// Notes that a source has brought a change; the lock is held.
  ///
  /// - Returns: Whether the first entry is complete by that.
  @inlinable
  func arrive(at number: UInt64) -> Bool {
    if isRelay {
      pendingChanges.append(PendingChange(number: number, version: number))
      return pendingChanges.count == 1
    }
    let index = index(of: number)
    pendingChanges[index].awaited -= 1
    return index == 0 && pendingChanges[0].awaited == 0
  }

  /// Whether the first entry can be told; the lock is held.
  @inlinable
  var isReady: Bool { !pendingChanges.isEmpty && pendingChanges[0].awaited == 0 }

  /// Takes over what the sources have brought for an entry. Only the deliverer calls this.
  ///
  /// - Returns: What it comes to, and whether a source has another value now.
  @inlinable
  func advance(to number: UInt64) -> (Revision, isChanged: Bool) {
    var revision = Revision()
    var isChanged = false
    for source in sources {
      guard let input = source.input else { continue }
      let before = input.revision.edition
      input.advance(input, number)
      let edition = input.revision.edition
      if edition != before, !source.mayKeepValues || !input.hasJoined(with: edition) {
        isChanged = true
      }
      revision.state = revision.state + source.weight * input.revision.state
      revision.edition = revision.edition + source.weight * edition
    }
    return (revision, isChanged)
  }

  /// A place in a round at which the first entry is told.
  @inlinable
  func delivery(to channel: AnyChannel) -> Delivery {
    Delivery(to: channel, at: 0, by: deliver)
  }
}

// How a derived constant computes and tells what is on its way to it.

extension Derived {
  /// Computes and tells the first change on its way here, if all of it has arrived and nobody is at it.
  @inlinable
  func deliverNext(on thread: CurrentThread) {
    lock.lock()
    if thread.isDueForRelief, tryToHandOver(on: thread) { return lock.unlock() }
    guard deliverer.thread == 0, ownDerivation.isReady else { return lock.unlock() }
    let number = ownDerivation.entries[0].number
    let version = ownDerivation.entries[0].version
    _ = ownDerivation.entries.popFirst()
    let isLast = ownDerivation.entries.isEmpty
    deliverer = Deliverer(thread)
    let memo = self.memo
    lock.unlock()

    let (new, isChangedBefore) = ownDerivation.advance(to: number)
    let isChanged = update(to: new, isChanged: isChangedBefore, memo, isLast: isLast)
    tell(version, isChanged: isChanged, on: thread)
    finishTelling(on: thread)
  }

  /// Computes what is to be told next; answers whether it differs from what was told last.
  @inlinable
  func update(to new: Revision, isChanged: Bool, _ memo: Outcome?, isLast: Bool) -> Bool {
    let toldState = told.revision.state
    var isChanged = isChanged
    told.revision.state = new.state
    told.sources = new.edition
    if isChanged {
      // A reader may have taken another value for the one before, and kept that.
      let value =
        if let memo, memo.sources == new.edition, memo.revision.edition == new.edition {
          memo.value
        } else {
          formula(.told)
        }
      if let isSame, let before = told.value, isSame(before, value) {
        isChanged = false
      } else {
        told.value = value
        told.revision.edition = new.edition
      }
    }
    // A reader may have been ahead of what is told here; then what it has found is the later one.
    if let value = told.value, isLast || memo == nil || memo?.revision.state == toldState {
      remember((value: value, revision: told.revision, sources: new.edition))
    }
    return isChanged
  }

  /// Notes what is told now; answers the inputs that began with that value. The lock is held.
  @usableFromInline
  func takeJoining() -> [AnyInput] {
    known = told.revision
    guard !joining.isEmpty else { return [] }
    let joined = joining.filter { $0.joinedState == known.state }
    // With nothing more on its way, the others began in the midst of a transaction.
    joining =
      ownDerivation.entries.isEmpty ? [] : joining.filter { $0.joinedState != known.state }
    return joined
  }

  @usableFromInline
  func noteJoined(_ inputs: [AnyInput]) {
    for input in inputs { input.noteJoined(told.revision.edition) }
  }

  /// Tells the change or, to those who derive from this alone, that there is none.
  @inlinable
  func tell(_ version: UInt64, isChanged: Bool, on thread: CurrentThread) {
    lock.lock()
    let joined = ownDerivation.mayKeepValues ? takeJoining() : []
    let over = joiners.isEmpty ? [] : updateJoiners(before: version, isChanged: isChanged)
    let first = isChanged || hasInputs || !joiners.isEmpty ? self.first : nil
    let last = first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = told.value == nil ? self.memo : nil
    lock.unlock()
    // The values that they know go when the lock is open again.
    withExtendedLifetime(over) {}
    noteJoined(joined)
    guard let first else { return }
    let value = told.value ?? valueToTell(memo)
    told.value = value
    let observer = tellInputs(value, version, told.revision, (first, last), on: thread)
    if isChanged, let observer {
      tellObservers(value, version, from: observer, through: last, on: thread)
    }
  }

  /// The value that is told last, which was not asked for before.
  @inlinable
  func valueToTell(_ memo: Outcome?) -> Element {
    if let memo, memo.revision.edition == told.revision.edition { return memo.value }
    return formula(.told)
  }

  /// Notes what joiners are owed, and forgets those who are told it with all others, or know what they know.
  /// The lock is held.
  ///
  /// - Returns: Those that are forgotten, to be released outside the lock.
  @usableFromInline
  func updateJoiners(before version: UInt64, isChanged: Bool) -> [Joiner] {
    let due = joiners.filter { $0.since < version }
    for joiner in due { joiner.isOwed = true }
    // What was told now may be what somebody was told first, who came while it was on its way.
    let over = joiners.filter { $0.state == told.revision.state } + (isChanged ? due : [])
    joiners.removeAll { joiner in over.contains { $0 === joiner } }
    return over
  }

  /// Tells what is none for others to those who are owed it, as soon as it is known what they were told
  /// first; the lock is held before and after.
  @usableFromInline
  func tellJoiners(on thread: CurrentThread) {
    while let value = told.value,
      let index = joiners.firstIndex(where: { $0.isOwed && !$0.isFirstAwaited })
    {
      let joiner = joiners.remove(at: index)
      lock.unlock()
      if !knows(value, joiner) { joiner.observation.receive(value, on: thread) }
      // What it was told first goes while the lock is open.
      _ = consume joiner
      lock.lock()
    }
  }

  private func knows(_ value: Element, _ joiner: Joiner) -> Bool {
    guard let first = joiner.first else { return false }
    return isSame?(first.value, value) ?? (first.revision.edition == told.revision.edition)
  }

  @inlinable
  func finishTelling(on thread: CurrentThread) {
    lock.lock()
    if !joiners.isEmpty { tellJoiners(on: thread) }
    let hasCleaned = deliverer.hasCleaned
    deliverer = Deliverer()
    if ownDerivation.isReady {
      thread.noteChangeOfOthers()
      thread.append(ownDerivation.delivery(to: self), isOwn: false)
    }
    if hasCleaned || first == nil { return detachCleaned() }
    lock.unlock()
  }
}

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
    let (joiners, over) =
      joiners.isEmpty ? ([], []) : takeJoiners(before: version, isChanged: isChanged)
    let first = isChanged || !joiners.isEmpty ? self.first : hasInputs ? self.first : nil
    let last = self.first?._withUnsafeGuaranteedRef { $0.previous }
    let memo = told.value == nil ? self.memo : nil
    lock.unlock()
    // The values that they know go when the lock is open again.
    withExtendedLifetime(over) {}
    noteJoined(joined)
    guard let first else { return }
    let value = told.value ?? valueToTell(memo)
    told.value = value
    let revision = told.revision
    guard
      let observer = tellInputs(value, version, revision, (first, last), on: thread)
    else { return }
    if isChanged {
      tellObservers(value, version, from: observer, through: last, on: thread)
    } else if !joiners.isEmpty {
      tell(value, to: joiners, from: observer, through: last, on: thread)
    }
  }

  /// The value that is told last, which was not asked for before.
  @inlinable
  func valueToTell(_ memo: Outcome?) -> Element {
    if let memo, memo.revision.edition == told.revision.edition { return memo.value }
    return formula(.told)
  }

  /// Those who perhaps know another value than the others, to be told what is none for these, and those
  /// who do not any more; the lock is held.
  @usableFromInline
  func takeJoiners(before version: UInt64, isChanged: Bool) -> (due: [Joiner], over: [Joiner]) {
    var (due, over, others): ([Joiner], [Joiner], [Joiner]) = ([], [], [])
    for joiner in joiners {
      // What was told now may be what somebody was told first, who came while it was on its way.
      if joiner.isOver || joiner.state == told.revision.state {
        over.append(joiner)
      } else if joiner.since >= version {
        others.append(joiner)
      } else if isChanged {
        over.append(joiner)
      } else if joiner.isFirstAwaited {
        joiner.isOwed = true
        others.append(joiner)
      } else {
        due.append(joiner)
      }
    }
    joiners = others
    return (due, over)
  }

  /// Tells those whose first value has become known what they are owed; the lock is held before and after.
  @usableFromInline
  func tellOwed(on thread: CurrentThread) {
    while let index = joiners.firstIndex(where: { $0.isOwed && !$0.isFirstAwaited }) {
      let joiner = joiners.remove(at: index)
      guard let first, let value = told.value else { continue }
      let last = first._withUnsafeGuaranteedRef { $0.previous }
      lock.unlock()
      tell(value, to: [joiner], from: first, through: last, on: thread)
      lock.lock()
    }
  }

  /// Tells what has not changed for others to those who know another value.
  @usableFromInline
  func tell(
    _ value: Element,
    to joiners: [Joiner],
    from first: Unmanaged<Dust>,
    through last: Unmanaged<Dust>?,
    on thread: CurrentThread
  ) {
    let observers = Set(joiners.lazy.filter { !self.knows(value, $0) }.map(\.observer))
    AnyChannel.walk(from: first, through: last) { dust in
      if observers.contains(ObjectIdentifier(dust)) {
        // Behind the inputs, only an `Observation` of this element subscribes to a channel of it.
        unsafeDowncast(dust, to: Observation<Element>.self).receive(value, on: thread)
      }
      return true
    }
  }

  private func knows(_ value: Element, _ joiner: Joiner) -> Bool {
    guard let first = joiner.first else { return false }
    return isSame?(first.value, value) ?? (first.revision.edition == told.revision.edition)
  }

  @inlinable
  func finishTelling(on thread: CurrentThread) {
    lock.lock()
    if !joiners.isEmpty { tellOwed(on: thread) }
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

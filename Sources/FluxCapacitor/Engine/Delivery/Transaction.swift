// A transaction is a reduce, a call of `transaction` or `read`, or the body of a `modify`. Nested
// transactions belong to the outermost one, so a thread has at most one open transaction.
//
// A transaction adds a *place* (an entry) to the thread's round for each observed variable that it writes and
// each event that it sends. While the transaction is open, its places are among the last entries of the
// round. The transaction *commits* when it ends, before the thread gives up the dispatcher's turn:
// 1. The thread locks all variables for which the transaction has a place.
// 2. The thread turns the new value of each variable into a change.
// 3. The thread announces the changes to the derived constants that depend on several variables, and adds their places.
//
// So no other change comes between the changes of one commit. The thread delivers these changes after the
// commit.
//
// Transactions of two dispatchers, or two bodies of `modify`, can write the same variable while both are
// open. The first one to end commits the value that the variable has then, and the other one commits
// the variable only if it writes the variable again. So no transaction waits for another one to end.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Ends a transaction, which began when the caller incremented `openTransactions`. The end of the outermost transaction
  /// commits its writes, so that the thread can deliver the changes.
  ///
  /// - Parameter holdsLast: Whether this thread holds the lock of the last variable that the transaction has
  ///   written. The commit unlocks this variable.
  @inlinable func endTransaction(holdingLast holdsLast: Bool = false) {
    if pointee.openTransactions == 1, pointee.openPlaces > 0 {
      commitTransaction(holdingLast: holdsLast)
    }
    pointee.openTransactions -= 1
  }

  /// Whether the open transaction has already added a place for a variable or a sink.
  ///
  /// The method is called only if a transaction has a place for the variable, and another transaction has written or
  /// committed the variable since this one's last write.
  ///
  /// - Complexity: Amortized O(1) for each place.
  @usableFromInline func hasPlace(for channel: AnyChannel) -> Bool {
    let first = pointee.round.count - pointee.openPlaces + pointee.written.places
    for index in first..<pointee.round.count where pointee.round[index].locksChannel {
      pointee.written.channels.insert(pointee.round[index].target.toOpaque())
    }
    pointee.written.places = pointee.openPlaces
    return pointee.written.channels.contains(Unmanaged.passUnretained(channel).toOpaque())
  }

  /// Commits the open transaction, with no other changes between its changes.
  ///
  /// - Parameter holdsLast: Whether this thread already holds the lock of the last place's channel.
  @usableFromInline func commitTransaction(holdingLast holdsLast: Bool) {
    let places = pointee.round.count - pointee.openPlaces..<pointee.round.count
    AnyChannel.lockAll(places.count, holding: holdsLast ? places.count - 1 : nil) {
      let place = pointee.round[places.lowerBound + Int32($0)]
      return place.locksChannel ? place.channel : nil
    }
    var hasEvents = false
    for index in places where pointee.round[index].isUncommitted {
      let place = pointee.round[index]
      // Only the place of an event has a version before the commit.
      if place.version != .never { hasEvents = true }
      place.channel.use { channel in
        if place.locksChannel { channel.pendingWrite.transactions -= 1 }
        pointee.round[index].version = channel.commit(at: index, on: self)
      }
    }
    if !pointee.inputs.isEmpty {
      pointee.inputs.sort { first, second in
        first.input.use { $0.order } < second.input.use { $0.order }
      }
      pointee.inputs.announce(on: self)
      pointee.inputs.removeAll(keepingCapacity: true)
    }
    for index in places where pointee.round[index].locksChannel {
      pointee.round[index].channel.use { $0.lock.unlock() }
    }
    if hasEvents, pointee.round.count > places.upperBound { moveRegions(behind: places) }
    // The announcements might have added more places, which belong to no transaction.
    pointee.openPlaces = 0
    if pointee.written.places > 0 { pointee.written = (0, []) }
  }

  /// Moves the places that a commit has added for regions. Each moves behind the last of its variables, because the events
  /// that the transaction has sent later are delivered later.
  ///
  /// - Parameter committed: The indices of the transaction's places, which the places of the regions follow.
  private func moveRegions(behind committed: Range<Int32>) {
    for index in committed { pointee.round[index].position = index }
    let indices = committed.lowerBound..<pointee.round.count
    var places = indices.map { pointee.round[$0] }
    places.sort { $0.position < $1.position }
    for (index, place) in zip(indices, places) { pointee.round[index] = place }
  }
}

extension Place {
  /// The channel. Every place is created for a channel.
  fileprivate var channel: Unmanaged<AnyChannel> { .fromOpaque(target.toOpaque()) }
}

extension AnyChannel {
  /// Locks several channels.
  ///
  /// The thread never waits for the lock of one variable while holding the lock of another. Otherwise, the
  /// thread could deadlock with a mutation that holds one variable's lock while waiting for a different
  /// variable's lock. If other threads take the locks again and again, the writes that begin later let this thread pass; see
  /// `PendingWrite.patience`. A thread that has locked a table may wait for the locks of the table's parts, because a
  /// thread with the lock of a part waits for no table.
  ///
  /// - Parameters:
  ///   - count: The number of channels.
  ///   - held: The index of the channel that this thread has already locked, if any.
  ///   - channel: Returns the channel at an index, or `nil` if an earlier index has the same channel.
  @inline(__always) static func lockAll(
    _ count: Int,
    holding held: Int? = nil,
    _ channel: (Int) -> Unmanaged<AnyChannel>?
  ) {
    guard count > 0 else { return }
    let areParts = held.flatMap(channel)?.use { whole in
      (0..<count).allSatisfy { $0 == held || channel($0)?.use { $0.isPart(of: whole) } ?? true }
    }
    if areParts ?? false {
      for index in 0..<count where index != held { channel(index)?.use { $0.acquire() } }
      return
    }
    var (first, rounds) = (held ?? 0, 0)
    if held == nil { channel(first)?.use { $0.acquire() } }
    while true {
      let busy = (0..<count).first { index in
        guard index != first, let channel = channel(index) else { return false }
        return channel.use { channel in
          if channel.lock.isHeldByCurrentThread { channel.trapInMutation() }
          return !channel.lock.tryLock()
        }
      }
      guard let busy else {
        for index in 0..<count where rounds >= 16 {
          channel(index)?.use { $0.pendingWrite.patience = 0 }
        }
        return
      }
      for index in 0..<count where index == first || index < busy {
        channel(index)?.use { $0.lock.unlock() }
      }
      rounds += 1
      for index in 0..<count where rounds.isMultiple(of: 16) {
        channel(index)?.use { $0.askForPatience(after: rounds) }
      }
      first = busy
      channel(first)?.use { $0.acquire() }
    }
  }
}

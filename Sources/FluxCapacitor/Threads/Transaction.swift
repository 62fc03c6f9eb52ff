// A transaction is a reduce, a call of `transaction`, or the body of a `modify`. Nested transactions belong to
// the outermost one, so a thread has at most one open transaction.
//
// A transaction adds a *place* (an entry) to the thread's queue of deliveries for each variable that it
// writes and each event that it sends. While the transaction is open, the transaction's places are the
// last entries of the queue. The transaction *commits* when it ends, before the thread gives up the
// dispatcher's lock:
// 1. The thread locks all variables that the transaction has written.
// 2. The thread turns the new value of each variable into a change.
// 3. The thread announces the changes to the derived constants that depend on several variables.
//
// So no other change comes between the changes of one commit. The thread delivers these changes after the
// commit.
//
// Transactions of two dispatchers, or two bodies of `modify`, can write the same variable while both are
// open. The first one to end commits the value that the variable has then, and the other one commits
// the variable only if it writes the variable again. So no transaction waits for another one to end.

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Whether the open transaction has already added a place for a variable or a sink.
  ///
  /// - Complexity: O(n) in the number of places. The method is called only if another open transaction has
  ///   written the same variable.
  @usableFromInline func lists(_ member: TransactionMember) -> Bool {
    for index in pointee.round.count - pointee.openPlaces..<pointee.round.count
    where pointee.round[index].member?.use({ $0 === member }) ?? false {
      return true
    }
    return false
  }

  /// Commits the open transaction, with no other changes between its changes.
  ///
  /// - Parameter held: The channel of the transaction's last place, if this thread already holds the
  ///   channel's lock.
  @usableFromInline func commitTransaction(holding held: TransactionMember?) {
    let places = pointee.round.count - pointee.openPlaces..<pointee.round.count
    TransactionMember.lockAll(places.count, holding: held == nil ? nil : places.count - 1) {
      pointee.round[places.lowerBound + Int32($0)].member
    }
    for index in places where pointee.round[index].isOpen {
      let place = pointee.round[index]
      place.target.use { target in
        if place.isFirst { target.mark.listings -= 1 }
        pointee.round[index].version = target.commit(through: place.version, on: self)
        pointee.round[index].isOpen = false
      }
    }
    if !pointee.listeners.isEmpty {
      pointee.listeners.announceToAll(on: self)
      pointee.listeners.removeAll(keepingCapacity: true)
    }
    for index in places { pointee.round[index].member?.use { $0.lock.unlock() } }
    // The announcements might have added more places, which belong to no transaction.
    pointee.openPlaces = 0
  }
}

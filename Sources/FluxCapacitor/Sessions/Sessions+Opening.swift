// Each method decides under the lock, and then acts.
extension Sessions {
  /// Counts a use of a session, and opens the session if necessary.
  nonisolated(nonsending) func beginUse(of id: ID) async throws -> Entry {
    while true {
      try Task.checkCancellation()
      let (entry, isNew, waiter) = try lock.withLock { () -> (Entry, Bool, Waiter?) in
        if isShutDown { throw SessionsError.shutDown }
        guard let entry = entries[id] else {
          let entry = Entry(id: id)
          entries[id] = entry
          return (entry, true, nil)
        }
        if case .closing = entry.state { return (entry, false, self.waiter(for: entry)) }
        entry.uses += 1
        return (entry, false, nil)
      }
      if isNew { startOpening(entry) }
      guard let waiter else { return entry }
      await waiter.wait()
    }
  }

  /// Waits until a session is open, and returns the session.
  nonisolated(nonsending) func session(of entry: Entry) async throws -> Session {
    while true {
      let (session, waiter) = try lock.withLock { () -> (Session?, Waiter?) in
        switch entry.state {
        case .open(let session): return (session, nil)
        case .failedToOpen(let error): throw error
        // A session with uses isn't closed.
        case .opening, .closing: return (nil, self.waiter(for: entry))
        }
      }
      if let session { return session }
      await waiter?.wait()
      try Task.checkCancellation()
    }
  }

  func endUse(of entry: Entry) {
    let pause = clock.end(of: idle)
    let (mustClose, formerPause) = lock.withLock {
      let formerPause = entry.pause
      entry.uses -= 1
      return (beginIdleTime(of: entry, pause), formerPause)
    }
    // The former closure is released after unlocking, because an instant of the clock can be an object.
    withExtendedLifetime(formerPause) {}
    if mustClose { startClose(of: entry) }
  }

  /// Opens a session. No code cancels the task, because several callers can wait for the session.
  private func startOpening(_ entry: Entry) {
    Task.detached { [self] in
      let result: Result<Session, any Error>
      do {
        let session = try await withDispatcher(entry.dispatcher) {
          try await open(entry.id, entry.dispatcher)
        }
        openIDs.value.append(entry.id)
        result = .success(session)
      } catch {
        result = .failure(error)
      }
      let pause = clock.end(of: idle)
      let mustClose = change(entry) {
        switch result {
        case .success(let session): entry.state = .open(session)
        case .failure(let error):
          entry.state = .failedToOpen(error)
          entries[entry.id] = nil
        }
        return beginIdleTime(of: entry, pause)
      }
      if mustClose { startClose(of: entry) }
    }
  }

  /// Returns a waiter for the next change of an entry's state. The caller holds the lock.
  private func waiter(for entry: Entry) -> Waiter {
    let waiter = Waiter()
    entry.waiters.append(waiter)
    return waiter
  }
}

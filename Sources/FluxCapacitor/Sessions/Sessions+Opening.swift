// Each method decides under the lock, and then acts.
extension Sessions {
  /// Counts a use of a session, and opens the session if necessary.
  nonisolated(nonsending) func beginUse(of id: ID) async throws -> Entry {
    while true {
      try Task.checkCancellation()
      let (entry, isNew, place) = try lock.withLock { () -> (Entry, Bool, Waiters.Place?) in
        if isShutDown { throw SessionsError.shutDown }
        guard let entry = entries[id] else {
          let entry = Entry(id: id)
          entries[id] = entry
          return (entry, true, nil)
        }
        let isClosing = if case .closing = entry.state { true } else { entry.isOver }
        if isClosing { return (entry, false, entry.waiters.add()) }
        entry.uses += 1
        return (entry, false, nil)
      }
      if isNew { startOpening(entry) }
      guard let place else { return entry }
      await wait(at: place, of: entry)
    }
  }

  /// Waits until a session is open, and returns the session.
  nonisolated(nonsending) func session(of entry: Entry) async throws -> Session {
    while true {
      let (session, place) = try lock.withLock { () -> (Session?, Waiters.Place?) in
        switch entry.state {
        case .open(let session): return (session, nil)
        case .failedToOpen(let error): throw error
        // A session with uses isn't closed.
        case .opening, .closing: return (nil, entry.waiters.add())
        }
      }
      if let session { return session }
      if let place { await wait(at: place, of: entry) }
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
        openKeys.append(OpenKey(id: entry.id))
        observeEnd(of: session, entry)
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

  /// Begins to observe whether a session is over. The session has a use until it's open.
  private func observeEnd(of session: Session, _ entry: Entry) {
    entry.dust = withDispatcher(entry.dispatcher) {
      isOver?(session).observe { [weak self, weak entry] isOver in
        if isOver, let entry { self?.end(entry) }
      }
    }
  }

  /// Lets a session end after its uses.
  private func end(_ entry: Entry) {
    let (mustClose, timer) = lock.withLock {
      if entry.isOver { return (false, nil as Task<Void, Never>?) }
      entry.isOver = true
      // The timer would keep the session for the rest of its idle time.
      let timer = entry.timer.take()
      return (beginIdleTime(of: entry, nil), timer)
    }
    timer?.cancel()
    if mustClose { startClose(of: entry) }
  }

  /// Waits for the next change of an entry's state, or until the task is cancelled.
  nonisolated(nonsending) func wait(at place: Waiters.Place, of entry: Entry) async {
    await place.waiter.wait()
    if Task.isCancelled { lock.withLock { entry.waiters.remove(place) } }
  }

  /// The number of callers that wait for any session.
  package var waiterCount: Int {
    lock.withLock { entries.values.reduce(0) { $0 + $1.waiters.count } }
  }
}

// Each method decides under the lock, and then acts.
extension Sessions {
  /// Begins the idle time of an open session without uses. The caller holds the lock.
  ///
  /// - Parameter pause: Waits for the end of the idle time, or nil if there is no idle time.
  /// - Returns: Whether the caller must close the session, because there is no idle time.
  func beginIdleTime(of entry: Entry, _ pause: (@Sendable () async -> Void)?) -> Bool {
    guard entry.uses == 0, case .open(let session) = entry.state else { return false }
    let pause = entry.isOver ? nil : pause
    let retry = entry.pauseBeforeRetry
    guard !isShutDown, pause != nil || retry != nil else {
      entry.state = .closing(session)
      return true
    }
    entry.pause = {
      await pause?()
      await retry?()
    }
    // The timer finds the new end of the idle time, if it's already running.
    if entry.timer == nil {
      entry.timer = Task.detached { [self, isOver = entry.isOver] in
        await waitWhileIdle(entry, isOver: isOver)
      }
    }
    return false
  }

  /// Waits until a session has had no uses for the idle time, and closes the session. `shutDown`, and the end of a session
  /// that is over, cancel the task.
  ///
  /// - Parameter isOver: Whether the session was over when the task began.
  private func waitWhileIdle(_ entry: Entry, isOver: Bool) async {
    while true {
      let (pause, mustClose) = lock.withLock { () -> ((@Sendable () async -> Void)?, Bool) in
        // From then on, others begin the closes.
        if isShutDown { entry.timer = nil }
        // Since the session is over, it has another timer, or none.
        if isShutDown || entry.isOver != isOver { return (nil, false) }
        if entry.uses == 0, case .open(let session) = entry.state {
          if let pause = entry.pause.take() { return (pause, false) }
          entry.state = .closing(session)
          entry.timer = nil
          return (nil, true)
        }
        entry.timer = nil
        return (nil, false)
      }
      if mustClose { await closeNow(entry) }
      guard let pause else { return }
      await pause()
    }
  }

  /// Closes a session in the state `closing`. No code cancels the task.
  func startClose(of entry: Entry) { Task.detached { await self.closeNow(entry) } }

  private func closeNow(_ entry: Entry) async {
    guard case .closing(let session) = lock.withLock({ entry.state }) else { return }
    await entry.dispatcher.settled()
    do {
      try await withDispatcher(entry.dispatcher) { try await close(session) }
      entry.dust?.clean()
      openKeys.remove(id: entry.id)
      if closeFailures.value[entry.id] != nil { setFailure(nil, of: entry) }
      change(entry) { entries[entry.id] = nil }
    } catch {
      setFailure(error, of: entry)
      let (pause, retry) = (clock.end(of: idle), clock.end(of: .seconds(1)))
      let former = change(entry) {
        let former = entry.pauseBeforeRetry
        entry.state = .open(session)
        entry.closeHasFailed = true
        entry.pauseBeforeRetry = retry
        if !isShutDown { _ = beginIdleTime(of: entry, pause) }
        return former
      }
      // The former closure is released after unlocking, because an instant of the clock can be an object.
      withExtendedLifetime(former) {}
    }
  }

  /// Sets the error of a session's last close. This thread releases the former error after unlocking.
  private func setFailure(_ error: (any Error)?, of entry: Entry) {
    let former = closeFailures.modify { failures in
      defer { failures[entry.id] = error }
      return failures[entry.id]
    }
    withExtendedLifetime(former) {}
  }

  /// Changes an entry under the lock, and then lets everyone look again who waits for the entry.
  func change<Result>(_ entry: Entry, _ body: () -> Result) -> Result {
    let (result, waiting) = lock.withLock { (body(), entry.waiters.takeAll()) }
    for waiter in waiting { waiter.resume() }
    return result
  }
}

// MARK: - Shutting down

extension Sessions {
  /// Refuses new uses, and begins to close the sessions without uses. Returns the keys of all sessions.
  func beginShutDown() -> [ID] {
    let (ids, timers, idle) = lock.withLock {
      isShutDown = true
      // The timer of a session in use would keep the session for the rest of its last idle time.
      let timers = entries.values.compactMap(\.timer)
      let idle = entries.values.filter { entry in
        entry.closeHasFailed = false
        guard entry.uses == 0, case .open(let session) = entry.state else { return false }
        entry.state = .closing(session)
        return true
      }
      return (Array(entries.keys), timers, idle)
    }
    for timer in timers { timer.cancel() }
    // A table removes its last rows in the shortest time.
    let places = Dictionary(uniqueKeysWithValues: zip(openKeys.ids.value, 0...))
    for entry in idle.sorted(by: { places[$0.id, default: 0] > places[$1.id, default: 0] }) {
      startClose(of: entry)
    }
    return ids
  }

  /// Waits until a session has been closed or has failed to close, or until the task is cancelled.
  nonisolated(nonsending) func waitForClose(of id: ID) async {
    while !Task.isCancelled {
      let wait = lock.withLock { () -> (entry: Entry, place: Waiters.Place)? in
        guard let entry = entries[id], !entry.closeHasFailed else { return nil }
        return (entry, entry.waiters.add())
      }
      guard let wait else { return }
      await self.wait(at: wait.place, of: wait.entry)
    }
  }
}

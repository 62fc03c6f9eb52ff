#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting

  struct Failure: Error, CustomStringConvertible { let description: String }

  extension World {
    /// D2: after an operation beside which no other thread did anything, the observers on `.current` have been called.
    func checkDelivered(after run: History.Run) {
      for watcher in watchers
      where watcher.end < .max && watcher.cleanBegin == nil && watcher.unsettled.isEmpty {
        guard let last = watcher.calls.last else { continue }
        let isRight = history.matches(last, watcher.leaves) { history.write(to: $0, at: .max) }
        if !isRight { fail("D2: \(watcher) misses the last value after \(run.op.name).") }
      }
      for listener in listeners {
        let missing = missing(to: listener)
        if !missing.isEmpty { fail("D2: \(listener) misses \(missing) after \(run.op.name).") }
      }
      if let (early, late) = history.misorder {
        fail("V4: \(early) is called before \(late) in \(run.op.name).")
      }
    }

    /// Lets time pass and closes the sessions. All threads of the scenario have ended.
    func beginEnd() {
      clock.advance(by: .seconds(1_000))
      if plan.hasSessions { shutDown(Op(kind: .shutDown)) }
      endKeeping()
    }

    /// Checks what holds when all tasks have ended, and then ends everything.
    func finish() {
      let checks = [
        checkWatchers, checkListeners, checkTrackings, checkJobs, checkEffects, checkSessions,
        checkKeeping,
      ]
      for check in checks where failure == nil { check() }
      isOver = true
      history.releaseKept()
      for endable in watchers + listeners as [Endable] {
        let endsByItself = endable.isInBag || endable.endsWithItsSource && endable.task == nil
        if !endsByItself { end(endable) }
        (endable as? Watcher)?.scope?.clean()
      }
      for task in tasks { task.cancel() }
      (bag, table, sessions, keeper) = (nil, nil, nil, nil)
      (watchers, listeners, nodes, variables, sinks) = ([], [], [], [], [])
      (held, stores, records, jobs, runs, effects) = ([], [], [], [], [], [])
      (awaiting, tasks, openSessions, followers, dispatchers) = ([], [], [:], [], [])
    }

    /// Checks that nothing is left.
    func check() throws {
      if failure == nil { checkSurvivors() }
      if liveObjects > 0 { fail("V7: \(liveObjects) objects are never released.") }
      if let failure { throw Failure(description: failure) }
    }

    private func checkWatchers() {
      for watcher in watchers where failure == nil {
        var linearization = Linearization(of: watcher, in: history)
        if let problem = linearization.problem() { fail("\(watcher) \(problem): \(watcher.calls)") }
      }
    }

    private func missing(to listener: Listener) -> [Int] {
      guard listener.cleanBegin == nil, listener.end < .max else { return [] }
      return history.events(to: listener).compactMap { event in
        let begin = listener.endsWithItsSource ? event.time : jobs[event.id].begin
        return begin > listener.end && !listener.events.contains(event.id) ? event.id : nil
      }
    }

    private func checkListeners() {
      for listener in listeners {
        let (events, missing) = (history.events(to: listener), missing(to: listener))
        if !missing.isEmpty { return fail("\(listener) misses \(missing).") }
        if Set(listener.events).count < listener.events.count {
          return fail("\(listener) receives an event twice: \(listener.events).")
        }
        // Events of one thread, all reduces, and what another observer receives keep their order.
        let lanes = Dictionary(grouping: events) {
          listener.endsWithItsSource ? ObjectIdentifier($0.place) : nil
        }
        let others = listeners.filter { $0.source == listener.source }
        for order in lanes.values.map({ $0.map(\.id) }) + others.map(\.events)
        where listener.events.filter(order.contains) != order.filter(listener.events.contains) {
          return fail("\(listener) receives \(listener.events), against the order \(order).")
        }
        guard case .events = listener.source else { continue }
        if let early = listener.events.first(where: { jobs[$0].reduceBegin < listener.begin }) {
          return fail("B6: \(listener) receives the event of job \(early), which began before it.")
        }
      }
    }

    /// B5: a tracked read is notified of the next change.
    private func checkTrackings() {
      for tracking in trackings {
        let roots = Set(tracking.leaves.map(\.root))
        let writes = history.batches.flatMap { $0.writes.filter { roots.contains($0.key) } }
        let isMissed = zip(tracking.leaves, tracking.seenOnMain).contains { leaf, seen in
          let later = writes.filter { history.time(of: $0.value) > history.time(of: seen) }
          return !leaf.isSettled && later.contains { $0.key == leaf.root }
        }
        let isDue = isMissed || writes.contains { history.time(of: $0.value) > tracking.installed }
        if isDue, !tracking.hasFired { fail("B5: a tracked read is not notified of a change.") }
        if tracking.hasFired, writes.isEmpty { fail("B5: a tracked read is notified of nothing.") }
      }
    }
  }
#endif

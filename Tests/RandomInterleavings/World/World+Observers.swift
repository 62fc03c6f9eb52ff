#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTesting

  extension World {
    // MARK: - Values

    func observe(_ op: Op) {
      guard let source = node(op) else { return }
      let node = derive(source, op.watch.derivation)
      history.place.keep(node)
      let watcher = Watcher(op, node.leaves)
      watcher.endsWithItsSource =
        op.watch.derivation == .none && op.target % nodes.count < plan.roots.count
      history.beginObserving(watcher)
      watchers.append(watcher)
      let token = Token()
      node.observe(for: watcher, on: queue(op.watch.queue)) { val in
        withExtendedLifetime(token) { world.call(watcher, val) }
      }
      if op.watch.style != .loop { history.endObserving(watcher) }
      put(watcher)
      let isCalled = op.watch.queue == .current && op.watch.style == .plain && !watcher.ignoresFirst
      if isCalled, watcher.calls.isEmpty, watcher.cleanBegin == nil {
        fail("V1: \(watcher) was not called before `observe` returned.")
      }
    }

    private func put(_ endable: Endable) {
      guard endable.op.watch.isInBag, let bag, endable.dust != nil || endable.task != nil
      else { return }
      endable.isForBag = true
      if bagCleanings > 0, endable.cleanBegin == nil { endable.cleanBegin = history.tick() }
      endable.dust?.cleaned(by: bag)
      endable.task?.cleaned(by: bag)
      endable.isInBag = true
    }

    private func queue(_ queue: Watch.Queue) -> ExecuteQueue {
      // During the setup, blocks would run outside of the schedule.
      switch history.isInSetup ? .current : queue {
      case .current: return .current
      case .main: return .main
      case .own: return .queue(DispatchQueue(label: "own"))
      }
    }

    private func call(_ watcher: Watcher, _ val: Val) {
      history.tick()
      if watcher.style == .loop, watcher.calls.isEmpty { history.endObserving(watcher) }
      check(val.writes, of: watcher.leaves, in: "\(watcher)")
      // Other observers don't wait for an observer that is being started.
      let isStarting = watcher.end == .max || watcher.calls.isEmpty && !watcher.ignoresFirst
      if !isStarting { history.noteCall(of: watcher, with: val.writes) }
      watcher.calls.append(val.writes)
      call(watcher, count: watcher.calls.count)
    }

    private func call(_ endable: Endable, count: Int) {
      // A subscription calls its new observer outside of a round.
      let isInRound = count > 1 && (history.place.run?.op.kind ?? .observe) != .observe
      if isInRound, history.place.rounds > 0 { fail("V4: \(endable) is called inside a round.") }
      history.place.rounds += isInRound ? 1 : 0
      if endable.isInCall { fail("V2: two calls of \(endable) overlap.") }
      if endable.cleanEnd != nil { fail("V5: \(endable) is called although it was cleaned.") }
      if Dispatcher.shared !== endable.dispatcher { fail("\(endable) sees another dispatcher.") }
      endable.isInCall = true
      history.place.calls += 1
      if let changes = plan.changesBeforeHandover { offerDelivery(afterChanges: changes) }
      if endable.op.watch.pauses { interleavingPoint() }
      if count <= endable.op.watch.activeCalls { endable.op.body.forEach(perform) }
      history.place.calls -= 1
      history.place.rounds -= isInRound ? 1 : 0
      endable.isInCall = false
    }

    // MARK: - Events

    func send(_ op: Op) {
      guard !sinks.isEmpty else { return }
      let number = op.target % sinks.count
      let val = Val([history.newWrite(payload: op.payload)])
      history.noteEvent(val.writes[0], of: .sink(number))
      sinks[number].send(val)
    }

    func listen(_ op: Op) {
      let (dispatcher, token, queue) = (dispatcher(op), Token(), queue(op.watch.queue))
      let states = Listener.Source.states(number(op))
      let first = sinks.isEmpty ? states : .sink(op.target % sinks.count)
      let listener = Listener(op, to: [first, first, states, .events(number(op))][op.payload])
      listener.begin = history.tick()
      listeners.append(listener)
      let called: @Sendable (Int) -> Void = { event in
        withExtendedLifetime(token) { world.call(listener, event) }
      }
      switch listener.source {
      case .sink(let number):
        listener.endsWithItsSource = true
        let signal = sinks[number].signal
        if op.watch.style != .loop {
          listener.dust = signal.observe(on: queue) { called($0.writes[0]) }
        } else {
          let events = signal.values
          listener.task = Task {
            await iterate(over: events) { called($0.writes[0]) }
            listener.hasEnded = true
          }
        }
      case .states:
        listener.dust = dispatcher.observe(Work.self, on: queue) {
          if case .run(let job) = $0 { called(job.number) }
        }
      case .events:
        listener.dust = dispatcher.intercept { event in
          guard case .run(let job) = event.state as? Work else { return }
          world.check(event, of: job)
          called(job.number)
        }
      }
      put(listener)
      listener.end = history.tick()
    }

    private func call(_ listener: Listener, _ event: Int) {
      history.tick()
      let isOpen = history.noteCall(of: listener, with: event)
      if isOpen { fail("D4: event \(event) is delivered in its transaction.") }
      listener.events.append(event)
      call(listener, count: listener.events.count)
    }

    /// B6: an event lists the changes of its reduce.
    private func check(_ event: DispatchEvent, of job: Job) {
      guard job.op.target % dispatchers.count == 0 else { return }
      for (root, name) in ["first", "second"].enumerated()
      where root < plan.roots.count && plan.roots[root] == .stored {
        let change = event.changes.first { $0.name == name && $0.store == WorkStore.self }
        let isWritten = history.written[root].contains {
          $0.time > job.reduceBegin && $0.time < job.end && $0.job == job.number
        }
        guard let change else {
          if isWritten { fail("B6: an event doesn't list the change of `\(name)`.") }
          continue
        }
        let (old, new) = (writes(change.oldValue), writes(change.newValue))
        let leaves = [Leaf(root: root)]
        let isRight =
          history.wasCurrent(old, leaves, since: job.begin, until: job.reduceBegin)
          && history.wasCurrent(new, leaves, since: job.end)
        if !isRight || old == new {
          fail("B6: an event lists a change of `\(name)`: \(old), \(new).")
        }
      }
    }

    private func writes(_ value: Any?) -> [Int] { (value as? Val)?.writes ?? [-1] }

    // MARK: - Cleaning

    func clean(_ op: Op) {
      let endables = watchers + listeners as [Endable]
      if !endables.isEmpty { end(endables[op.target % endables.count]) }
    }

    func end(_ endable: Endable) {
      if endable.cleanBegin == nil { endable.cleanBegin = history.tick() }
      endable.dust?.clean()
      (endable as? Watcher)?.target = nil
      endable.task?.cancel()
      let canBeCalled = endable.task != nil || endable.end == .max
      if !canBeCalled, endable.cleanEnd == nil { endable.cleanEnd = history.tick() }
    }

    func cleanBag(_: Op) {
      let all = watchers + listeners as [Endable]
      let endables = all.filter { $0.isInBag && $0.cleanBegin == nil }
      // A bag may also clean what another thread is putting into it.
      for endable in all where endable.isForBag && endable.cleanBegin == nil {
        endable.cleanBegin = history.tick()
      }
      bagCleanings += 1
      bag?.clean()
      bagCleanings -= 1
      for endable in endables where endable.task == nil { endable.cleanEnd = history.tick() }
      for endable in endables where endable.task?.isCancelled == false && !endable.hasEnded {
        fail("B4: the task of \(endable) is not cancelled with its bag.")
      }
    }
  }
#endif

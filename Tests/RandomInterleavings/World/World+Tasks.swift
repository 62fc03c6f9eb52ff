#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting

  /// A run of an effect.
  final class EffectRun: @unchecked Sendable {
    let op: Op
    let effects: Int
    let parent: EffectRun?

    /// Whether the operation in which this one was called awaits it.
    let isAwaited: Bool

    /// Whether a reduce or a transaction calls the effect, so that the call doesn't wait for other reduces.
    fileprivate(set) var isInBody = false

    // The times of the call, of the operation, of a cancellation and of a supersession.
    fileprivate(set) var begin = Int.max
    var (end, cancelled, superseded) = (Int.max, Int.max, Int.max)
    var (started, ended): (Int?, Int?)
    var (mayBeCancelled, mayBeSuperseded) = (false, false)

    init(_ op: Op, of effects: Int, in parent: EffectRun? = nil, isAwaited: Bool = false) {
      (self.op, self.effects, self.parent, self.isAwaited) = (op, effects, parent, isAwaited)
    }

    /// A time at which the effects certainly know of the run.
    var registered: Int { min(end, started ?? .max) }

    var isRunning: Bool { started != nil && ended == nil }

    func mayEnd(bySuperseding isSuperseding: Bool) {
      mayBeCancelled = true
      if isSuperseding { mayBeSuperseded = true }
    }

    func isInside(_ other: EffectRun) -> Bool {
      parent.map { $0 === other || $0.isInside(other) } ?? false
    }
  }

  /// A session, and what happens to it.
  final class Session: @unchecked Sendable {
    let key: Int
    let dispatcher: Dispatcher
    var uses = 0
    var isClosing = false
    private let token = Token()

    init(_ key: Int, on dispatcher: Dispatcher) { (self.key, self.dispatcher) = (key, dispatcher) }
  }

  extension World {
    /// The effects of a scenario, which have different policies.
    func makeEffects(_ number: Int) -> (policy: Effects.Policy, effects: Effects) {
      let policies: [Effects.Policy] = [.latest, .first, .serial, .newestWaiting, .concurrent(2)]
      let policy = policies[number % policies.count]
      return (policy, Effects(policy))
    }

    func runEffect(_ op: Op) {
      let parent = history.place.calls == 0 ? history.place.effect : nil
      let run = EffectRun(op, of: op.target % effects.count, in: parent)
      begin(run)
      let pause: Duration = op.payload == 3 ? .seconds(1) : .zero
      effects[run.effects].effects.run(after: pause, clock: clock) { await world.operate(run, $0) }
      run.end = history.tick()
    }

    /// Awaits an effect in a task of its own.
    func performEffect(_ op: Op) {
      let run = EffectRun(op, of: op.target % effects.count)
      awaiting.append((Task { await world.perform(run) }, run))
    }

    private func perform(_ run: EffectRun) async {
      begin(run)
      await effects[run.effects].effects.perform { await world.operate(run, $0) }
      if run.isRunning { fail("B9: `perform` returns before effect \(run.op.number) ends.") }
      run.end = min(run.end, history.tick())
    }

    private func begin(_ run: EffectRun) {
      (run.begin, run.isInBody) = (history.tick(), history.place.isInBody)
      for other in cancelling where other.effects == run.effects {
        run.mayEnd(bySuperseding: other.isSuperseding)
      }
      runs.append(run)
    }

    private func operate(_ run: EffectRun, _ effect: Effect) async {
      checkStart(of: run)
      run.started = history.tick()
      for op in run.op.body {
        interleavingPoint()
        checkCancellation(of: run)
        if op.kind == .performEffect {
          // Users must not let two effects wait for each other.
          let other = op.target % effects.count
          let inner = EffectRun(op, of: other, in: run, isAwaited: true)
          if other >= run.effects { await perform(inner) }
        } else {
          step(op, of: run, as: effect)
        }
        await Task.yield()
      }
      checkCancellation(of: run)
      run.ended = history.tick()
    }

    private func step(_ op: Op, of run: EffectRun, as effect: Effect) {
      let place = history.place
      place.effect = run
      if op.kind == .reduce {
        let job = newJob(Job(op, by: run))
        Invoker<Work>(on: dispatcher(op)).invoke(.run(job), as: effect)
      } else {
        perform(op)
      }
      place.effect = nil
    }

    /// Whether a run is superseded: under the policy `.latest`, by a newer run.
    func isSuperseded(_ run: EffectRun) -> Bool {
      if run.superseded < history.now { return true }
      guard effects[run.effects].policy == .latest else { return false }
      return runs.contains { newer in
        newer.effects == run.effects && newer.begin > run.registered && !newer.isInBody
          && newer.end < history.now && !(newer.isAwaited && newer.isInside(run))
      }
    }

    private func checkStart(of run: EffectRun) {
      // A run may have been superseded after its last check.
      if run.mayBeSuperseded { return }
      let policy = effects[run.effects].policy
      let limit = policy == .latest ? .max : policy == .concurrent(2) ? 2 : 1
      let others = runs.filter { $0.effects == run.effects && $0 !== run }
      // An effect inside another one of the same effects doesn't wait for it.
      func isNested(_ run: EffectRun) -> Bool { others.contains(where: run.isInside) }
      let running = others.filter { $0.isRunning && !isNested($0) && !$0.mayBeSuperseded }
      if !isNested(run), running.count >= limit {
        fail("B9: effect \(run.op.number) starts above the limit of \(policy).")
      }
      // Those that have certainly been called before or after this run.
      let earlier = others.filter {
        $0.registered < run.begin && $0.parent == nil && run.parent == nil
      }
      // The effect that should run instead.
      let right: EffectRun? =
        switch policy {
        case .serial:
          earlier.first { $0.started == nil && !$0.mayBeCancelled && $0.op.payload != 3 }
        case .first:
          earlier.first {
            $0.started ?? .max < run.begin && !$0.mayBeCancelled && $0.ended ?? .max > run.end
          }
        case .newestWaiting:
          // While another effect ran, a newer call took this one's place.
          others.first { newer in
            newer.begin > run.registered && newer.end < history.now && newer.parent == nil
              && newer.op.payload != 3 && run.op.payload != 3 && run.parent == nil
              && others.contains {
                $0.started ?? .max < newer.begin && $0.ended ?? .max > newer.end
                  && !$0.mayBeSuperseded
              }
          }
        default: nil
        }
      if let right {
        fail("B9: effect \(run.op.number) of \(policy) starts instead of \(right.op.number).")
      }
    }

    private func checkCancellation(of run: EffectRun) {
      let isRunning = effects[run.effects].effects.isRunning.value
      // A newer run may have superseded this one, and may be about to cancel it.
      let newer = runs.filter {
        $0.effects == run.effects && $0 !== run && $0.registered > run.begin
      }
      let isSpared = newer.allSatisfy { $0.isAwaited && $0.isInside(run) }
      let mayBeCancelled = run.mayBeCancelled || run.parent != nil || !isSpared
      if Task.isCancelled, !mayBeCancelled { fail("B9: effect \(run.op.number) is cancelled.") }
      let isDue = isSpared && run.cancelled < history.now
      if isDue, !Task.isCancelled { fail("B9: effect \(run.op.number) isn't cancelled.") }
      if newer.isEmpty, !isRunning, !run.mayBeSuperseded {
        fail("B9: `isRunning` is false during an effect.")
      }
    }

    func cancelEffects(_ op: Op) {
      let (number, isSuperseding) = (op.target % effects.count, op.payload == 3)
      let running = runs.filter { $0.effects == number && $0.ended == nil }
      let begun = running.filter { $0.registered < history.now }
      cancelling.append((number, isSuperseding))
      for run in running { run.mayEnd(bySuperseding: isSuperseding) }
      interleavingPoint()
      isSuperseding ? effects[number].effects.supersede() : effects[number].effects.cancel()
      let end = history.tick()
      if isSuperseding, !history.place.isInBody {
        for run in begun { run.superseded = min(run.superseded, end) }
      }
      let index = cancelling.firstIndex { $0 == (number, isSuperseding) }
      if let index { cancelling.remove(at: index) }
      // Another thread that supersedes the effects may be about to cancel them.
      if cancelling.contains(where: { $0 == (number, true) }) { return }
      for run in begun { run.cancelled = min(run.cancelled, end) }
    }

    func cancelTask(_ op: Op) {
      guard !awaiting.isEmpty else { return }
      let (task, run) = awaiting[op.target % awaiting.count]
      interleavingPoint()
      run.mayBeCancelled = true
      task.cancel()
      run.cancelled = min(run.cancelled, history.tick())
    }

    func checkEffects() {
      for run in runs where run.isRunning { fail("B9: effect \(run.op.number) never ends.") }
      for (number, effects) in effects.enumerated() where effects.effects.isRunning.value {
        fail("B9: `isRunning` of \(effects.policy) \(number) stays true.")
      }
      for run in runs where run.started == nil && run.parent == nil && !run.mayBeCancelled {
        let policy = effects[run.effects].policy
        let others = runs.filter { $0.effects == run.effects && $0 !== run }
        let isLast = others.allSatisfy { $0.end <= run.begin }
        let mustStart = policy == .serial || policy == .concurrent(2) || policy != .first && isLast
        if mustStart { fail("B9: effect \(run.op.number) of \(policy) never starts.") }
      }
    }

    // MARK: - Sessions

    func makeSessions() -> Sessions<Int, Session> {
      Sessions(idle: plan.hasIdleTime ? .seconds(1) : .zero, clock: clock) { key, dispatcher in
        try await world.openSession(key, on: dispatcher)
      } close: { session in
        await world.closeSession(session)
      }
    }

    private func openSession(_ key: Int, on dispatcher: Dispatcher) async throws -> Session {
      if openSessions[key] != nil { fail("B14: key \(key) is opened twice.") }
      let session = Session(key, on: dispatcher)
      openSessions[key] = session
      interleavingPoint()
      await Task.yield()
      if failingOpens > 0 {
        failingOpens -= 1
        openSessions[key] = nil
        throw CancellationError()
      }
      return session
    }

    private func closeSession(_ session: Session) async {
      if session.uses > 0 || session.isClosing { fail("B14: a session is closed too early.") }
      session.isClosing = true
      interleavingPoint()
      await Task.yield()
      openSessions[session.key] = nil
    }

    func useSession(_ op: Op) {
      guard let sessions else { return }
      let key = op.target % 2
      let task = Task {
        _ = try? await sessions.with(key) { session in
          let isOpen = openSessions[key] === session && !session.isClosing
          if !isOpen { fail("B14: a closed session is used.") }
          if Dispatcher.shared !== session.dispatcher { fail("B14: a use has another dispatcher.") }
          session.uses += 1
          for op in op.body {
            perform(op)
            await Task.yield()
          }
          session.uses -= 1
        }
      }
      tasks.append(task)
    }

    func cancelUse(_ op: Op) {
      guard !tasks.isEmpty else { return }
      interleavingPoint()
      tasks[op.target % tasks.count].cancel()
    }

    func shutDown(_: Op) {
      guard let sessions else { return }
      shutDowns += 1
      let task = Task {
        await sessions.shutDown()
        if !openSessions.isEmpty, !Task.isCancelled { fail("B14: sessions outlive `shutDown`.") }
        shutDowns -= 1
      }
      tasks.append(task)
    }

    func failOpen(_: Op) { failingOpens += 1 }

    func checkSessions() {
      if shutDowns > 0 { fail("B14: `shutDown` never returns.") }
      if let key = openSessions.keys.first { fail("B14: session \(key) is never closed.") }
      if let ids = sessions?.ids.value, !ids.isEmpty { fail("B14: \(ids) stay open.") }
    }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting

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
      if session.uses > 0 { fail("B14: session \(session.key) is closed during a use.") }
      if session.isClosing { fail("B14: session \(session.key) is closed twice.") }
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
        let isRight = openSessions.isEmpty || Task.isCancelled
        if !isRight { fail("B14: `shutDown` leaves sessions open.") }
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

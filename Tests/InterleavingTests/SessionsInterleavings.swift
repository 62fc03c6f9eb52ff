#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B14: a key has at most one session, and each session is opened and closed once, in every order of the threads.
  struct SessionsInterleavings {
    /// Sessions that note how they are opened and closed.
    private static func sessions(
      _ log: Log<String>,
      idle: Duration = .zero,
      clock: ManualClock = ManualClock()
    ) -> Sessions<String, Int> {
      Sessions(idle: idle, clock: clock) { _, _ in
        log.append("open")
        return 1
      } close: { _ in
        log.append("close")
      }
    }

    private static func use(_ sessions: Sessions<String, Int>, _ log: Log<String>) async throws {
      try await sessions.with("a") { _ in
        log.append("use")
        await Task.yield()
        log.append("used")
      }
    }

    /// Whether each session was opened, used and closed, before the next one was opened.
    private static func isOrderly(_ log: Log<String>) -> Bool {
      var (isOpen, uses) = (false, 0)
      for event in log.entries {
        switch event {
        case "open" where !isOpen: isOpen = true
        case "close" where isOpen && uses == 0: isOpen = false
        case "use" where isOpen: uses += 1
        case "used" where uses > 0: uses -= 1
        case "refused": break
        default: return false
        }
      }
      return !isOpen
    }

    /// The end of the idle time can come while the close fails.
    @Test func failedCloseIsNotRepeatedAfterAShutDown() {
      explore(oneIn: 2) { scenario in
        let (clock, closes) = (ManualClock(), Log<Void>())
        let sessions = Sessions<Int, Int>(idle: .seconds(60), clock: clock) { number, _ in
          number
        } close: { _ in
          closes.append(())
          throw CancellationError()
        }
        scenario.task {
          try await sessions.with(1) { _ in }
          _ = await sessions.shutDown()
        }
        scenario.check { #expect(closes.entries.count == 1) }
      }
    }

    /// The timer before the session is over can begin beside the timer after it.
    @Test func failedCloseOfASessionThatIsOverIsNotRepeatedTooEarly() {
      explore(oneIn: 4) { scenario in
        let (clock, closes, isOver) = (ManualClock(), Log<Void>(), Variable(false))
        let sessions = Sessions<Int, Int>(idle: .zero, clock: clock) { number, _ in
          number
        } close: { _ in
          closes.append(())
          throw CancellationError()
        } isOver: { _ in
          isOver.constant
        }
        scenario.thread { Task { try await sessions.with(1) { _ in } } }
        scenario.thread { isOver.value = true }
        scenario.check { #expect(closes.entries.count == 1) }
      }
    }

    @Test func usesOfTwoThreadsShareASessionOrUseOneAfterTheOther() {
      explore { scenario in
        let log = Log<String>()
        let sessions = Self.sessions(log)
        for _ in 1...2 {
          scenario.thread { Task { try await Self.use(sessions, log) } }
        }
        scenario.check {
          #expect(Self.isOrderly(log))
          #expect(log.entries.count { $0 == "use" } == 2)
          #expect(sessions.ids.value == [])
        }
      }
    }

    @Test func useBesideTheEndOfTheIdleTimeKeepsTheSessionOrOpensANewOne() {
      let numbersOfSessions = Log<Int>()
      explore(oneIn: 4) { scenario in
        let log = Log<String>()
        let clock = ManualClock()
        let sessions = Self.sessions(log, idle: .seconds(1), clock: clock)
        scenario.thread {
          Task {
            try await Self.use(sessions, log)
            // Meanwhile, the timer of the idle time can begin.
            for _ in 1...3 { await Task.yield() }
            try await Self.use(sessions, log)
            await sessions.shutDown()
          }
        }
        scenario.thread { clock.advance(by: .seconds(1)) }
        scenario.check {
          #expect(Self.isOrderly(log))
          #expect(log.entries.count { $0 == "use" } == 2)
          #expect(sessions.ids.value == [])
          numbersOfSessions.append(log.entries.count { $0 == "open" })
        }
      }
      #expect(Set(numbersOfSessions.entries) == [1, 2])
    }
  }
#endif

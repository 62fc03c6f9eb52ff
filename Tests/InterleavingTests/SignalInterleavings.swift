#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B2: a signal delivers every event once, in the order of sending, to all observers that exist at the
  /// time of sending.
  struct SignalInterleavings {
    @Test func allObserversOfASignalReceiveAnEventBeforeTheNextEvent() {
      explore { scenario in
        let (sink, log) = (Sink<Int>(), Log<String>())
        for name in ["first", "second"] { sink.signal.observe(in: log) { "\(name) \($0)" } }
        scenario.threads(1...2) { sink.send($0) }
        scenario.check {
          let logs = [[1, 2], [2, 1]].map { $0.flatMap { ["first \($0)", "second \($0)"] } }
          #expect(logs.contains(log.entries))
        }
      }
    }

    @Test func signalDeliversEachEventOfOverlappingTransactionsAfterItsOwnTransaction() {
      explore { scenario in
        let (sink, log) = (Sink<Int>(), Log<Int>())
        sink.signal.observe(in: log)
        for event in 1...2 {
          scenario.transaction(on: Dispatcher()) {
            sink.send(event)
            log.append(-event)
          }
        }
        scenario.check {
          #expect(log.entries.filter { abs($0) == 1 } == [-1, 1])
          #expect(log.entries.filter { abs($0) == 2 } == [-2, 2])
        }
      }
    }

    @Test func observerOfASignalIsFreedAfterAnEventSentWhileTheSinkIsReleased() {
      explore { scenario in
        let (sinks, log) = (Log(Sink<Int>()), Log<String>())
        for sink in sinks.entries { sink.signal.logLifetime(in: log) }
        scenario.thread { for sink in sinks.entries { sink.send(1) } }
        scenario.thread { sinks.removeAll() }
        scenario.check { #expect([["freed"], ["1", "freed"]].contains(log.entries)) }
      }
    }
  }
#endif

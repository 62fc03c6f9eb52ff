#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B2: a signal delivers every event once, in the order of sending, to all observers that exist at the
  /// time of sending.
  struct SignalInterleavings {
    @Test func allObserversOfASignalReceiveAnEventBeforeTheNextEvent() {
      explore { scenario in
        let sink = Sink<Int>()
        let log = Log<String>()
        let dusts = ["first", "second"].map { name in
          sink.signal.observe { log.append("\(name) \($0)") }
        }
        for event in 1...2 {
          scenario.thread { sink.send(event) }
        }
        scenario.check {
          withExtendedLifetime((sink, dusts)) {
            let allowed = [[1, 2], [2, 1]].map { $0.flatMap { ["first \($0)", "second \($0)"] } }
            #expect(allowed.contains(log.entries))
          }
        }
      }
    }

    @Test func observerThatSubscribesToASignalDuringEventsReceivesEveryLaterEvent() {
      explore { scenario in
        let sink = Sink<Int>()
        let log = Log<Int>()
        scenario.thread { _ = sink.signal.observe { log.append($0) } }
        scenario.thread {
          sink.send(1)
          sink.send(2)
        }
        scenario.check {
          withExtendedLifetime(sink) { #expect([[1, 2], [2], []].contains(log.entries)) }
        }
      }
    }

    /// A transaction delivers every event of a signal, but only the last value of a variable.
    @Test func eventsSentInATransactionAreAllDeliveredAfterTheTransaction() {
      explore { scenario in
        let (sink, log) = (Sink<Int>(), Log<Int>())
        let dust = sink.signal.observe { log.append($0) }
        scenario.thread {
          Dispatcher.shared.transaction {
            sink.send(1)
            sink.send(3)
            log.append(0)
          }
        }
        scenario.thread { sink.send(2) }
        scenario.check {
          withExtendedLifetime((sink, dust)) {
            let allowed = [
              [2, 0, 1, 3], [0, 2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2],
            ]
            #expect(allowed.contains(log.entries))
          }
        }
      }
    }

    @Test func signalDeliversEventsOfOverlappingTransactionsAfterTheFirstTransactionEnds() {
      explore { scenario in
        let (sink, log) = (Sink<Int>(), Log<Int>())
        let dust = sink.signal.observe { log.append($0) }
        for event in 1...2 {
          let dispatcher = Dispatcher()
          scenario.thread {
            dispatcher.transaction {
              sink.send(event)
              log.append(-event)
            }
          }
        }
        scenario.check {
          withExtendedLifetime((sink, dust)) {
            #expect(log.entries.first.map { $0 < 0 } == true)
            #expect(log.entries.sorted() == [-2, -1, 1, 2])
          }
        }
      }
    }

    @Test func observerOfASignalIsFreedAfterAnEventSentWhileTheSinkIsReleased() {
      explore { scenario in
        let sinks = Log(Sink<Int>())
        let log = Log<String>()
        for sink in sinks.entries {
          let ending = AtEnd { log.append("freed") }
          _ = sink.signal.observe { event in
            withExtendedLifetime(ending) { log.append("\(event)") }
          }
        }
        scenario.thread {
          for sink in sinks.entries { sink.send(1) }
        }
        scenario.thread { sinks.removeAll() }
        scenario.check { #expect([["freed"], ["1", "freed"]].contains(log.entries)) }
      }
    }
  }
#endif

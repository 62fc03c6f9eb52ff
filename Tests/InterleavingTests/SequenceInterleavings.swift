#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B4: tasks consume the asynchronous sequences of a variable's values and of a signal's events.
  struct SequenceInterleavings {
    @Test func valuesOfASignalMissNoEventSentAfterTheCall() {
      explore { scenario in
        let (sink, seen) = (Sink<Int>(), Log<Int>())
        let events = sink.signal.values
        scenario.task {
          for await event in events {
            seen.append(event)
            if event == 2 { break }
          }
        }
        scenario.thread { for event in 1...2 { sink.send(event) } }
        scenario.check { #expect(seen.entries == [1, 2]) }
      }
    }

    @Test func valuesSequenceEndsWhenItsConsumingTaskIsCancelled() {
      explore { scenario in
        let (variable, seen) = (Variable(0), Log<Int>())
        scenario.thread {
          let task = Task {
            for await value in variable.values { seen.append(value) }
            seen.append(-1)
          }
          _ = seen.entries
          task.cancel()
        }
        scenario.keep(variable)
        scenario.check { #expect([[-1], [0, -1]].contains(seen.entries)) }
      }
    }

    @Test func consumerReceivesTheLastValueOfAReleasedVariableBeforeTheSequenceEnds() {
      explore { scenario in
        let (variables, seen) = (Log(Variable(0)), Log<Int>())
        let values = variables.entries[0].values(buffering: .unbounded)
        // The task uses the iterator, which begins to buffer values here.
        nonisolated(unsafe) var iterator = values.makeAsyncIterator()
        scenario.task {
          while let value = await iterator.next() { seen.append(value) }
          seen.append(-1)
        }
        scenario.thread {
          variables.entries.first?.value = 1
          variables.removeAll()
        }
        scenario.check { #expect(seen.entries == [0, 1, -1]) }
      }
    }
  }
#endif

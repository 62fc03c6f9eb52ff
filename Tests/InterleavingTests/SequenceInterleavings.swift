#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B4: tasks consume the asynchronous sequences of a variable's values and of a dispatcher's states.
  struct SequenceInterleavings {
    @Test func consumerOfValuesMissesNoValueWrittenWhenItsWaitBegins() {
      explore { scenario in
        let variable = Variable(0)
        let seen = Log<Int>()
        scenario.task {
          for await value in variable.values {
            seen.append(value)
            if value == 1 { break }
          }
        }
        scenario.thread { variable.value = 1 }
        scenario.check {
          withExtendedLifetime(variable) { #expect([[0, 1], [1]].contains(seen.entries)) }
        }
      }
    }

    @Test func valuesOfASignalMissNoEventSentAfterTheCall() {
      explore { scenario in
        let sink = Sink<Int>()
        let seen = Log<Int>()
        let events = sink.signal.values
        scenario.task {
          for await event in events {
            seen.append(event)
            if event == 2 { break }
          }
        }
        scenario.thread {
          sink.send(1)
          sink.send(2)
        }
        scenario.check { #expect(seen.entries == [1, 2]) }
      }
    }

    @Test func valuesSequenceEndsWhenItsConsumingTaskIsCancelled() {
      explore { scenario in
        let variable = Variable(0)
        let seen = Log<Int>()
        scenario.thread {
          let task = Task {
            for await value in variable.values { seen.append(value) }
            seen.append(-1)
          }
          _ = seen.entries
          task.cancel()
        }
        scenario.check {
          withExtendedLifetime(variable) { #expect([[-1], [0, -1]].contains(seen.entries)) }
        }
      }
    }

    @Test func cancelledConsumerOfAValuesSequenceReceivesNoBufferedValue() {
      explore { scenario in
        let variable = Variable(0)
        let seen = Log<Int?>()
        scenario.task {
          var iterator = variable.values.makeAsyncIterator()
          withUnsafeCurrentTask { $0?.cancel() }
          seen.append(await iterator.next())
        }
        scenario.thread { variable.value = 1 }
        scenario.check {
          withExtendedLifetime(variable) { #expect(seen.entries == [nil]) }
        }
      }
    }

    @Test func consumerReceivesTheLastValueOfAReleasedVariableBeforeTheSequenceEnds() {
      explore { scenario in
        let variables = Log(Variable(0))
        let consumer = Consumer(of: variables.entries[0].values(buffering: .unbounded))
        let seen = Log<Int>()
        scenario.task {
          while let value = await consumer.next() { seen.append(value) }
          seen.append(-1)
        }
        scenario.thread {
          variables.entries.first?.value = 1
          variables.removeAll()
        }
        scenario.check { #expect(seen.entries == [0, 1, -1]) }
      }
    }

    @Test func consumerOfADispatchersStatesReceivesEveryStateInOrder() {
      explore { scenario in
        let consumer = Consumer(of: Dispatcher.shared.states(of: Dispatcher.Counter.self))
        let seen = Log<Int>()
        scenario.task {
          while let state = await consumer.next() {
            guard case .set(let number) = state else { continue }
            seen.append(number)
            if number == 2 { break }
          }
        }
        scenario.thread {
          CounterAction().invoke(.set(1))
          CounterAction().invoke(.set(2))
        }
        scenario.check { #expect(seen.entries == [1, 2]) }
      }
    }
  }

  /// A box for an iterator that is created before the task that uses the iterator.
  private final class Consumer<Element: Sendable>: @unchecked Sendable {
    private var iterator: Values<Element>.Iterator

    init(of values: Values<Element>) {
      iterator = values.makeAsyncIterator()
    }

    func next() async -> Element? { await iterator.next() }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B9: effects supersede or await each other as their policy says, in every order of the threads.
  struct EffectInterleavings {
    @Test func stateInvokedByASupersededEffectIsNotReducedUnderTheLatestPolicy() {
      explore(sample: 500) { scenario in
        let (effects, store) = (Effects(.latest), LogStore.instantiate())
        scenario.thread {
          effects.run { CounterAction().invoke(.set(1), as: $0) }
          effects.run { CounterAction().invoke(.set(2), as: $0) }
          store.log.append(0)
        }
        scenario.check {
          let behind = store.log.entries.drop { $0 != 0 }
          #expect([[0], [0, 2]].contains(behind))
          #expect(store.log.entries.last { $0 != 0 } == 2)
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func effectsUnderTheFirstPolicyDoNotOverlap() {
      exploreTwoRuns(by: .first, expecting: [[1, 1], [2, 2], [1, 1, 2, 2], [2, 2, 1, 1]])
    }

    @Test func newestWaitingEffectRunsAfterTheEffectInProgress() {
      explore { scenario in
        let (effects, log) = (Effects(.newestWaiting), Log<Int>())
        scenario.thread {
          for number in 1...3 {
            effects.run { _ in
              log.append(number)
              log.append(effects.isRunning.value ? number : 0)
            }
          }
          log.append(4)
        }
        scenario.check {
          let entries = log.entries
          #expect([[1, 1, 3, 3], [1, 1, 2, 2, 3, 3]].contains(entries.filter { $0 != 4 }))
          // If the first effect was in progress during all calls of `run`, the third replaced the second.
          if let last = entries.lastIndex(of: 1), entries[..<last].contains(4) {
            #expect(!entries.contains(2))
          }
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func effectsUnderTheSerialPolicyAllRunInTheOrderOfTheRunCalls() {
      explore { scenario in
        let (effects, log) = (Effects(.serial), Log<Int>())
        scenario.thread {
          for number in 1...2 {
            effects.run { _ in for _ in 1...2 { log.append(number) } }
          }
        }
        scenario.check {
          #expect(log.entries == [1, 1, 2, 2])
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func firstPolicyRunsANewEffectAfterTheRunningEffectIsCancelled() {
      explore { scenario in
        let (effects, log) = (Effects(.first), Log<Int>())
        scenario.thread {
          effects.run { _ in log.append(1) }.cancel()
          effects.run { _ in log.append(2) }
        }
        scenario.check {
          #expect(log.entries == [1, 2])
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func cancelAlsoCancelsAnEffectThatAwaitsAnotherEffect() {
      explore { scenario in
        let (effects, cancelled) = (Effects(.latest), Log<Bool>())
        scenario.thread {
          effects.run { _ in
            await effects.perform { _ in effects.cancel() }
            cancelled.append(Task.isCancelled)
          }
        }
        scenario.check { #expect(cancelled.entries == [true]) }
      }
    }

    /// Without preemptions, the thread calls `run` twice before either operation starts.
    @Test func latestPolicyDoesNotStartAnEffectThatIsSupersededBeforeItsStart() {
      everyInterleaving(preemptions: 0) { scenario in
        let (effects, log) = (Effects(.latest), Log<Int>())
        scenario.thread {
          for number in 1...2 { effects.run { _ in log.append(number) } }
        }
        scenario.check { #expect(log.entries == [2]) }
      }
    }

    @Test func dispatcherIsFreedAfterAnEffectHasInvokedAStateOnThatDispatcher() {
      explore { scenario in
        let effects = Effects(.latest)
        let dispatchers = Log(Dispatcher())
        scenario.thread {
          effects.run { effect in
            for dispatcher in dispatchers.entries {
              withDispatcher(dispatcher) { _ = CounterAction().invoke(.set(1), as: effect) }
            }
          }
        }
        scenario.keep(effects)
        scenario.check {
          weak let dispatcher = dispatchers.entries[0]
          dispatchers.removeAll()
          #expect(dispatcher == nil)
        }
      }
    }

    @Test func cancelledTaskCancelsTheEffectThatTheTaskPerforms() {
      explore { scenario in
        let (effects, cancelled, log) = (Effects(.latest), Log<Bool>(), Log<Bool>())
        scenario.thread {
          let task = Task {
            await effects.perform { _ in
              let mustBeCancelled = !cancelled.entries.isEmpty
              log.append(Task.isCancelled || !mustBeCancelled)
            }
          }
          _ = log.entries
          task.cancel()
          cancelled.append(true)
        }
        scenario.check {
          #expect(log.entries == [true])
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func runOfAnEffectInsideAReduceDoesNotWaitForAnotherDispatcher() {
      explore { scenario in
        let (one, other) = (Dispatcher.shared, Dispatcher())
        let effects = Effects(.latest)
        let store = HookStore.instantiate()
        let otherStore = withDispatcher(other) { HookStore.instantiate() }
        store.whenReducing.append { effects.run { _ in } }
        otherStore.whenReducing.append { one.read {} }
        scenario.thread {
          effects.run { effect in
            withDispatcher(other) { _ = CounterAction().invoke(.set(1), as: effect) }
          }
          one.dispatch(Dispatcher.Counter.set(2))
        }
        scenario.keep(store, otherStore)
        scenario.check { #expect(!effects.isRunning.value) }
      }
    }

    @Test func runOfAnEffectInsideATransactionDoesNotWaitForAnotherDispatcher() {
      explore { scenario in
        let (one, other) = (Dispatcher.shared, Dispatcher())
        let effects = Effects(.latest)
        let otherStore = withDispatcher(other) { HookStore.instantiate() }
        otherStore.whenReducing.append { one.read {} }
        scenario.thread {
          effects.run { effect in
            withDispatcher(other) { _ = CounterAction().invoke(.set(1), as: effect) }
          }
          one.transaction { _ = effects.run { _ in } }
        }
        scenario.keep(otherStore)
        scenario.check { #expect(!effects.isRunning.value) }
      }
    }

    @Test func effectThatAnOuterEffectPerformsIsNotCancelledBySupersedingTheOuterEffect() {
      explore { scenario in
        let (effects, cancelled) = (Effects(.latest), Log<Bool>())
        scenario.task {
          await effects.perform { _ in
            await effects.perform { _ in cancelled.append(Task.isCancelled) }
          }
        }
        scenario.check {
          #expect(cancelled.entries == [false])
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func serialEffectRunByAnObserverWaitsForTheEffectInProgress() {
      explore { scenario in
        let (effects, log) = (Effects(.serial), Log<Int>())
        _ = Dispatcher.shared.observe(Dispatcher.Counter.self) { _ in
          effects.run { _ in log.append(2) }
        }
        scenario.thread {
          effects.run { effect in
            CounterAction().invoke(.set(1), as: effect)
            await Task.yield()
            log.append(1)
          }
        }
        scenario.check { #expect(log.entries == [1, 2]) }
      }
    }

    /// Runs an effect on each of two threads. Each effect logs its number twice.
    private func exploreTwoRuns(
      by policy: Effects.Policy,
      expecting logs: [[Int]],
      _ name: String = #function,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      explore(name, sourceLocation: sourceLocation) { scenario in
        let (effects, log) = (Effects(policy), Log<Int>())
        scenario.threads(1...2) { number in
          effects.run { _ in for _ in 1...2 { log.append(number) } }
        }
        scenario.check {
          #expect(logs.contains(log.entries))
          #expect(!effects.isRunning.value)
        }
      }
    }
  }

  /// A store that calls closures while it reduces.
  private final class HookStore: Storable {
    typealias DispatchStateType = Dispatcher.Counter

    let whenReducing = Log<@Sendable () -> Void>()

    func reduce(with _: Dispatcher.Counter) {
      for hook in whenReducing.entries { hook() }
    }
  }
#endif

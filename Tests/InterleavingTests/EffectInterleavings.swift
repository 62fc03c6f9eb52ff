#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B9: effects supersede or await each other as their policy says, in every order of the threads.
  struct EffectInterleavings {
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

    @Test func noStateOfASupersededEffectIsReducedAfterSupersedeHasReturned() {
      explore { scenario in
        let (effects, log) = (Effects(.serial), Log<String>())
        let store = HookStore.instantiate()
        store.whenReducing.append { log.append("reduce") }
        scenario.thread {
          effects.run { effect in _ = CounterAction().invoke(.set(1), as: effect) }
          effects.run { effect in _ = CounterAction().invoke(.set(2), as: effect) }
          effects.supersede()
          log.append("superseded")
        }
        scenario.keep(store)
        scenario.check {
          #expect(log.entries.last == "superseded")
          #expect(!effects.isRunning.value)
        }
      }
    }

    /// Between two operations, the key's effects may be deallocated, while another thread asks for them.
    @Test func operationsOfOneKeyNeverOverlap() {
      explore(oneIn: 4) { scenario in
        let (effects, log) = (KeyedEffects<Int>(.serial), Log<String>())
        for _ in 1...2 {
          scenario.thread {
            effects[1].run { _ in
              log.append("begin")
              log.append("end")
            }
          }
        }
        scenario.keep(effects)
        scenario.check {
          #expect(log.entries == ["begin", "end", "begin", "end"])
          weak let forgotten = effects[1]
          #expect(forgotten == nil)
        }
      }
    }

    /// The effects that one thread deallocates are no longer those of the key, for which the other thread runs an operation.
    @Test(arguments: [false, true])
    func operationOfAKeyIsCancelledByNobody(otherThreadRuns: Bool) {
      explore(oneIn: 2) { scenario in
        let (effects, cancelled) = (KeyedEffects<Int>(.concurrent(2)), Log<Bool>())
        scenario.thread { effects[1].run { _ in cancelled.append(Task.isCancelled) } }
        scenario.thread {
          let others = effects[1]
          if otherThreadRuns { others.run { _ in } }
        }
        scenario.keep(effects)
        scenario.check { #expect(cancelled.entries == [false]) }
      }
    }

    /// In some schedules, the effect ends before `run` returns.
    @Test func isRunningCallsItsObserversForEachEffect() {
      explore { scenario in
        let (effects, log) = (Effects(.first), Log<Bool>())
        effects.isRunning.observe(in: log)
        scenario.thread { effects.run { _ in } }
        scenario.check { #expect(log.entries == [false, true, false]) }
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

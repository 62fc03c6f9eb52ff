#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B4: a `DustBuster` cancels the tasks that it contains.
  struct TaskInterleavings {
    @Test func taskIsCancelledAfterEitherOfTwoConcurrentCleansOfItsDustBusterReturns() {
      explore { scenario in
        let (bag, cancelled) = (DustBuster(), Log<Bool>())
        let task = endlessTask(cleanedBy: bag)
        scenario.threads(1...2) { _ in
          bag.clean()
          cancelled.append(task.isCancelled)
        }
        scenario.check { #expect(cancelled.entries == [true, true]) }
      }
    }

    /// An insertion into a large bag forgets the Dust that is over. A task that is about to be cancelled isn't over.
    @Test func taskIsCancelledAfterACleanThatFollowsAnInsertionBesideAnotherClean() {
      explore(oneIn: 4) { scenario in
        let (bag, variable, cancelled) = (DustBuster(), Variable(0), Log<Bool>())
        let task = endlessTask(cleanedBy: bag)
        scenario.thread { bag.clean() }
        scenario.thread {
          let dust = variable.observe { _ in }
          bag.insert(Array(repeating: dust, count: 100))
          bag.clean()
          cancelled.append(task.isCancelled)
        }
        scenario.check { #expect(cancelled.entries == [true]) }
      }
    }

    @Test func taskAddedToADustBusterDuringCleanRunsToItsEnd() {
      explore { scenario in
        let (bag, cancelled) = (DustBuster(), Log<Bool>())
        scenario.thread { Task { cancelled.append(Task.isCancelled) }.cleaned(by: bag) }
        scenario.thread { bag.clean() }
        scenario.check {
          bag.clean()
          #expect(cancelled.entries.count == 1)
        }
      }
    }

    /// Starts a task outside the scenario. If the task ended, it would leave the bag at any time.
    private func endlessTask(cleanedBy bag: DustBuster) -> Task<Void, Never> {
      let task = Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
      task.cleaned(by: bag)
      return task
    }

    // MARK: B14: work that is pending, resting or idle

    @Test func settledSeesNoGapBetweenAnElementAndTheWorkOfItsConsumer() {
      explore { scenario in
        let (variable, bag, log) = (Variable(0), DustBuster(), Log<Int>())
        scenario.thread {
          Task { for await value in variable.values { log.append(value) } }.cleaned(by: bag)
          variable.value = 1
          Dispatcher.shared.when(.ended) { log.append(-1) }
        }
        scenario.check {
          #expect(log.entries.suffix(2) == [1, -1])
          bag.clean()
        }
      }
    }

    @Test func effectThatReceivesItsTurnIsBusyBeforeTheFormerEffectHasEnded() {
      explore { scenario in
        let (effects, log) = (Effects(.serial), Log<Int>())
        scenario.thread {
          for number in 1...2 { effects.run { _ in log.append(number) } }
          Dispatcher.shared.when(.resting) { log.append(-1) }
        }
        scenario.check {
          #expect(log.entries == [1, 2, -1])
          #expect(!effects.isRunning.value)
        }
      }
    }

    @Test func everyCallerOfAPausedEffectRests() {
      explore { scenario in
        let (effects, clock, bag) = (Effects(.first), ManualClock(), DustBuster())
        scenario.thread {
          for _ in 1...2 {
            Task { await effects.perform(after: .seconds(1), clock: clock) { _ in } }
              .cleaned(by: bag)
          }
        }
        scenario.check {
          #expect(Dispatcher.shared.pendingWork.isResting)
          bag.clean()
        }
      }
    }

    @Test func taskThatAwaitsAnEffectIsBusyBeforeTheEffectHasEnded() {
      explore { scenario in
        let (effects, bag, log) = (Effects(.serial), DustBuster(), Log<Int>())
        scenario.thread {
          Task {
            await effects.perform { _ in log.append(1) }
            log.append(2)
          }
          .cleaned(by: bag)
          Dispatcher.shared.when(.resting) { log.append(-1) }
        }
        scenario.check { #expect(log.entries == [1, 2, -1]) }
      }
    }
  }
#endif

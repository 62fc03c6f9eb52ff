#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Testing

  /// B4: a `DustBuster` cancels the tasks that it contains.
  struct TaskInterleavings {
    @Test func taskIsCancelledAfterEitherOfTwoConcurrentCleansOfItsDustBusterReturns() {
      explore { scenario in
        let bag = DustBuster()
        let (endless, _) = AsyncStream.makeStream(of: Never.self)
        let task = Task { for await _ in endless {} }
        task.cleaned(by: bag)
        let cancelled = Trace<Bool>()
        for _ in 1...2 {
          scenario.thread {
            bag.clean()
            cancelled.append(task.isCancelled)
          }
        }
        scenario.check { #expect(cancelled.entries == [true, true]) }
      }
    }

    @Test func taskAddedToADustBusterDuringCleanRunsToItsEnd() {
      explore { scenario in
        let bag = DustBuster()
        let cancelled = Trace<Bool>()
        scenario.thread {
          let task = Task { cancelled.append(Task.isCancelled) }
          task.cleaned(by: bag)
        }
        scenario.thread { bag.clean() }
        scenario.check {
          bag.clean()
          #expect(cancelled.entries.count == 1)
        }
      }
    }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTesting
  import Testing

  /// B4: tasks in bags, and that the newest wins.
  struct TaskInterleavings {
    @Test func noOlderResultIsReducedAfterANewerOne() {
      explore { scenario in
        let store = CounterStore.instantiate()
        let newest = DustBuster()
        let reduced = Trace<Int>()
        let dust = store.count.observe(ignoreFirst: true) { reduced.append($0) }
        scenario.thread {
          for number in 1...2 {
            Task(replacing: newest) { CounterAction().invokeUnlessCancelled(.set(number)) }
          }
        }
        scenario.check {
          #expect([[2], [1, 2]].contains(reduced.entries))
          withExtendedLifetime((store, newest, dust)) {}
        }
      }
    }

    @Test func aTaskIsCancelledAfterEitherOfTwoCleansOfItsBag() {
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

    @Test func aTaskIsCancelledWithItsBagOnWhicheverSideOfIt() {
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

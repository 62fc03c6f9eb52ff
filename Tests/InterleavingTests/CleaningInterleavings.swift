#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V5: after `clean()` has returned, no call of the observer starts.
  struct CleaningInterleavings {
    /// The call takes fewer steps than the number of times that a cleaning thread yields.
    @Test func cleanYieldsToACallThatHasStarted() {
      explore(isReduced: false) { scenario in
        let (variable, other) = (Variable(0), Variable(0))
        let log = Log<String>()
        let dust = variable.observe(ignoreFirst: true) { _ in
          log.append("starts")
          log.append("ends with \(other.value)")
        }
        scenario.thread { variable.value = 1 }
        scenario.thread {
          dust.clean()
          log.append("cleaned")
        }
        scenario.check {
          #expect(log.entries.last == "cleaned")
          #expect([1, 3].contains(log.entries.count))
        }
      }
    }

    @Test func observerIsNotCalledAfterItsDustBusterIsFreed() {
      explore(isReduced: false) { scenario in
        let (variable, lateCall) = (Variable(0), LateCall())
        let bags = Log(DustBuster())
        let dust = variable.observe(ignoreFirst: true) { _ in lateCall.note() }
        for bag in bags.entries { dust.cleaned(by: bag) }
        scenario.thread { for value in 1...2 { variable.value = value } }
        scenario.thread { lateCall.watch(after: bags.removeAll) }
        scenario.check { #expect(!lateCall.hasHappened) }
      }
    }

    @Test func variableSendsNoChangeToTheQueueOfACleanedObserver() {
      explore { scenario in
        let variable = Variable(0)
        let (dusts, pending) = (Log<Dust>(), Log<String>())
        _ = variable.observe(ignoreFirst: true) { _ in
          for dust in dusts.entries { dust.clean() }
        }
        let queue = ExecuteQueue.queue(DispatchQueue(label: "queue"))
        dusts.append(variable.observe(on: queue, ignoreFirst: true) { _ in })
        scenario.thread {
          variable.value = 1
          for work in Dispatcher.shared.pendingWork.descriptions { pending.append(work) }
        }
        scenario.check { #expect(pending.entries.isEmpty) }
      }
    }
  }
#endif

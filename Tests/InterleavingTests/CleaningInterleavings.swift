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

    @Test func dustBusterLosesNoDustThatIsInsertedDuringClean() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        let bag = DustBuster()
        scenario.thread {
          variable.observe(ignoreFirst: true) { log.append($0) }.cleaned(by: bag)
        }
        scenario.thread { bag.clean() }
        scenario.check {
          bag.clean()
          variable.value = 1
          #expect(log.entries == [])
        }
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

    /// A `clean()` inside a mutation doesn't wait for a lock that a second mutation holds.
    @Test func mutationsOfTwoVariablesThatCleanEachOthersObserversDoNotDeadlock() {
      explore { scenario in
        let variables = [Variable(0), Variable(0)]
        let (log, ended) = (Log<Int>(), Log<Int>())
        let dusts = [0, 1].map { number in
          let ending = AtEnd { ended.append(number) }
          return variables[number].observe(ignoreFirst: true) { value in
            withExtendedLifetime(ending) { log.append(number) }
          }
        }
        scenario.threads(0...1) { number in
          variables[number].modify { value in
            dusts[1 - number].clean()
            value = 1
          }
        }
        scenario.keep(dusts)
        scenario.check {
          #expect([[], [0], [1]].contains(log.entries))
          #expect(ended.entries.sorted() == [0, 1])
          #expect(variables.map(\.value) == [1, 1])
        }
      }
    }
  }
#endif

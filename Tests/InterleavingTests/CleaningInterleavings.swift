#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V5: after `clean()` has returned, no call of the observer starts.
  ///
  /// The scheduler can't switch threads between the start of a call and the first action in that call.
  /// Scenarios that look for late calls therefore set a `Flag` after `clean()`, and explore every schedule.
  struct CleaningInterleavings {
    @Test func cleanYieldsToACallThatHasStarted() { exploreCalls { $0.clean() } }

    @Test func dustBusterYieldsToACallThatHasStarted() {
      exploreCalls { dust in
        let bag = DustBuster()
        dust.cleaned(by: bag)
        bag.clean()
      }
    }

    /// The call takes fewer steps than the number of times that a cleaning thread yields.
    private func exploreCalls(cleanedBy clean: @escaping @Sendable (Dust) -> Void) {
      explore(isReduced: false) { scenario in
        let (variable, other) = (Variable(0), Variable(0))
        let log = Log<String>()
        let dust = variable.observe(ignoreFirst: true) { _ in
          log.append("starts")
          log.append("ends with \(other.value)")
        }
        scenario.thread { variable.value = 1 }
        scenario.thread {
          clean(dust)
          log.append("cleaned")
        }
        scenario.check {
          #expect(log.entries.last == "cleaned")
          #expect([1, 3].contains(log.entries.count))
        }
      }
    }

    @Test func observerOnAQueueIsNotCalledAfterEitherOfTwoConcurrentCleansReturns() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = variable.observe(on: .queue(DispatchQueue(label: "queue")), ignoreFirst: true) {
          _ in
          if isCleaned.isSet { isLate.set() }
        }
        scenario.thread {
          variable.value = 1
          dust.clean()
        }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func observerIsNotCalledAfterEitherOfTwoConcurrentCleansReturns() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = variable.observe(ignoreFirst: true) { _ in
          if isCleaned.isSet { isLate.set() }
        }
        scenario.thread { variable.value = 1 }
        scenario.thread { dust.clean() }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func observerOnAQueueIsNotCalledAfterEitherOfTwoCleansOfItsDustBusterReturns() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let bag = DustBuster()
        let dust = variable.observe(on: .queue(DispatchQueue(label: "queue")), ignoreFirst: true) {
          _ in
          if isCleaned.isSet { isLate.set() }
        }
        dust.cleaned(by: bag)
        scenario.thread {
          variable.value = 1
          bag.clean()
        }
        scenario.thread {
          bag.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func observerIsNotCalledAfterItsDustBusterIsFreed() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let bags = Log(DustBuster())
        for bag in bags.entries {
          let dust = variable.observe(ignoreFirst: true) { _ in
            if isCleaned.isSet { isLate.set() }
          }
          dust.cleaned(by: bag)
        }
        scenario.thread {
          variable.value = 1
          variable.value = 2
        }
        scenario.thread {
          bags.removeAll()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func dustBusterLosesNoDustThatIsInsertedDuringClean() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
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

    @Test func observerIsNotCalledAfterAnEarlierObserverHasCleanedItsDust() {
      explore { scenario in
        let variable = Variable(0)
        let (log, dusts) = (Log<String>(), Log<Dust>())
        let dust = variable.observe(ignoreFirst: true) { value in
          log.append("first \(value)")
          for dust in dusts.entries { dust.clean() }
        }
        dusts.append(variable.observe(ignoreFirst: true) { log.append("second \($0)") })
        let third = variable.observe(ignoreFirst: true) { log.append("third \($0)") }
        for value in 1...2 {
          scenario.thread { variable.value = value }
        }
        scenario.check {
          withExtendedLifetime((dust, third)) {
            let last = variable.value
            let expected = [3 - last, last].flatMap { ["first \($0)", "third \($0)"] }
            #expect(log.entries == expected)
          }
        }
      }
    }

    @Test func observerThatCleansItsOwnDustIsNotCalledAgain() {
      explore { scenario in
        let variable = Variable(0)
        let (log, dusts) = (Log<String>(), Log<Dust>())
        let queue = DispatchQueue(label: "queue")
        for (name, queue) in [("current", ExecuteQueue.current), ("queue", .queue(queue))] {
          let own = Log<Dust>()
          let dust = variable.observe(on: queue, ignoreFirst: true) { _ in
            log.append(name)
            for dust in own.entries { dust.clean() }
          }
          own.append(dust)
          dusts.append(dust)
        }
        scenario.thread {
          variable.value = 1
          variable.value = 2
        }
        scenario.check {
          withExtendedLifetime(variable) { #expect(log.entries.sorted() == ["current", "queue"]) }
        }
      }
    }

    @Test func variableSendsNoChangeToTheQueueOfACleanedObserver() {
      explore { scenario in
        let variable = Variable(0)
        let (dusts, pending) = (Log<Dust>(), Log<String>())
        let cleaning = variable.observe(ignoreFirst: true) { _ in
          for dust in dusts.entries { dust.clean() }
        }
        let queue = ExecuteQueue.queue(DispatchQueue(label: "queue"))
        dusts.append(variable.observe(on: queue, ignoreFirst: true) { _ in })
        scenario.thread {
          variable.value = 1
          for work in Dispatcher.shared.pendingWork.descriptions { pending.append(work) }
        }
        scenario.check {
          withExtendedLifetime(cleaning) { #expect(pending.entries.isEmpty) }
        }
      }
    }

    /// The observers that are cleaned are neighbors in the variable's ring of observations.
    @Test func concurrentCleansFreeThreeObserversAndLeaveAFourthObserverSubscribed() {
      explore { scenario in
        let variable = Variable(0)
        let (log, ended) = (Log<Int>(), Log<Int>())
        let dusts = (1...4).map { number in
          let ending = AtEnd { ended.append(number) }
          return variable.observe(ignoreFirst: true) { value in
            withExtendedLifetime(ending) { if value == 2 { log.append(number) } }
          }
        }
        scenario.thread {
          variable.value = 1
          dusts[1].clean()
        }
        scenario.thread {
          dusts[0].clean()
          dusts[2].clean()
        }
        scenario.check {
          variable.value = 2
          #expect(log.entries == [4])
          #expect(ended.entries.sorted() == [1, 2, 3])
        }
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
        for number in [0, 1] {
          scenario.thread {
            variables[number].modify { value in
              dusts[1 - number].clean()
              value = 1
            }
          }
        }
        scenario.check {
          #expect([[], [0], [1]].contains(log.entries))
          #expect(ended.entries.sorted() == [0, 1])
          #expect(variables.map(\.value) == [1, 1])
          withExtendedLifetime(dusts) {}
        }
      }
    }
  }
#endif

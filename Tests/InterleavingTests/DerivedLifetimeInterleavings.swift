#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Observation
  import Testing

  /// B1, B5, V1 and V2: a derived constant is freed once, after its last reference and its last observer
  /// are gone. A derived constant can be observed on a queue and tracked by Observation.
  struct DerivedLifetimeInterleavings {
    @Test func derivedConstantIsFreedOnceWhenItsLastReferenceOrObserverGoesAway() {
      explore { scenario in
        let number = Variable(0)
        let freed = Log<String>()
        let constants = Log(transformed(number, noting: "transform", in: freed))
        let dust = observe(constants, noting: "observer", in: freed)
        scenario.thread { constants.removeAll() }
        scenario.thread { dust.clean() }
        scenario.check {
          #expect(Set(freed.entries) == ["transform", "observer"])
          #expect(freed.entries.count == 2)
          withExtendedLifetime((number, dust)) {}
        }
      }
    }

    /// The library releases the observer's closure while no lock is held, so the deinit of a captured
    /// object can use the constant.
    @Test func derivedConstantIsFreedIfItsObserverIsCleanedDuringAChange() {
      explore { scenario in
        let number = Variable(0)
        let freed = Log<String>()
        let constants = Log(transformed(number, noting: "transform", in: freed))
        let dust = observe(constants, noting: "observer", in: freed)
        scenario.thread { number.value = 1 }
        scenario.thread { dust.clean() }
        scenario.check {
          constants.removeAll()
          #expect(freed.entries == ["observer", "transform"])
          withExtendedLifetime((number, dust)) {}
        }
      }
    }

    /// During a change, a region (a variable and its derived constants) retains constants that lose their
    /// observers. The region must release these constants after the delivery.
    @Test func derivedConstantIsFreedIfItsObserversChangeDuringADelivery() {
      explore { scenario in
        let number = Variable(0)
        let freed = Log<String>()
        let constants = Log<Constant<Int>>()
        constants.append(transformed(number, noting: "transform", in: freed).removeDuplicates())
        let dusts = Log<Dust>()
        if let distinct = constants.last {
          dusts.append(distinct.observe(ignoreFirst: true) { _ in })
        }
        scenario.thread { number.value = 1 }
        scenario.thread {
          guard let distinct = constants.last else { return }
          dusts.append(distinct.map { $0 + 1 }.observe { _ in })
          for dust in dusts.entries { dust.clean() }
        }
        scenario.check {
          constants.removeAll()
          #expect(freed.entries == ["transform"])
          withExtendedLifetime((number, dusts)) {}
        }
      }
    }

    @Test func derivedConstantIsFreedWhenItsLastReferenceIsReleasedDuringARead() {
      explore { scenario in
        let number = Variable(0)
        let freed = Log<String>()
        let constants = Log(transformed(number, noting: "transform", in: freed))
        scenario.thread {
          number.value = 1
          constants.removeAll()
        }
        scenario.thread { _ = constants.last?.value }
        scenario.check {
          #expect(freed.entries == ["transform"])
          withExtendedLifetime(number) {}
        }
      }
    }

    @Test func replacedValueOfADerivedConstantCanObserveTheConstantInItsDeinit() {
      explore { scenario in
        let number = Variable(0)
        let log = Log<Int>()
        let constants = Log<Constant<AtEnd>>()
        constants.append(
          number.map { value in
            AtEnd {
              constants.last?.observe(ignoreFirst: true) { _ in }.clean()
              log.append(value)
            }
          }
        )
        _ = constants.last?.value
        scenario.thread {
          number.value = 1
          _ = constants.last?.value
        }
        scenario.thread { _ = constants.last?.value }
        scenario.check {
          #expect([[0], [0, 1], [1, 0]].contains(log.entries))
          constants.removeAll()
          #expect(log.entries.sorted().prefix(2) == [0, 1])
        }
      }
    }

    @Test func observerThatSubscribesToAMapOnAQueueDuringAWriteReceivesTheNewValueOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, dusts) = (Log<Int>(), Log<Dust>())
        let queue = DispatchQueue(label: "queue")
        // `Dispatcher.shared` is created on first use. The scenario's threads must not create the
        // dispatcher.
        _ = Dispatcher.shared
        scenario.thread { number.value = 1 }
        scenario.thread { dusts.append(tenfold.observe(on: .queue(queue)) { log.append($0) }) }
        scenario.check {
          #expect([[0, 10], [10]].contains(log.entries))
          withExtendedLifetime(dusts) {}
        }
      }
    }
    /// B5: Observation itself misses a change that arrives before the reading closure has returned.
    @Test func trackedReadOfAMapDuringAWriteReportsTheNextChangeOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, changes) = (Log<Int>(), Log<Int>())
        scenario.thread { number.value = 1 }
        scenario.thread {
          let value = withObservationTracking {
            tenfold.value
          } onChange: {
            changes.append(1)
          }
          log.append(value)
        }
        scenario.check {
          #expect([0, 10].contains(log.last))
          number.value = 2
          #expect(changes.entries == [1])
          withExtendedLifetime(tenfold) {}
        }
      }
    }

    /// B5: an earlier read already tracks the constant.
    /// For that earlier read, the transaction changes nothing.
    @Test func trackedReadOfAnUncommittedValueReportsAChangeWhenAnotherValueIsCommitted() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, dispatcher) = (Log<String>(), Dispatcher())
        withObservationTracking {
          _ = distinct.value
        } onChange: {
        }
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 0
            log.append("written")
          }
        }
        scenario.thread { readTracked(distinct, log) }
        scenario.check {
          let before = log.entries
          if before.first == "has read 1" {
            #expect(before == ["has read 1", "written", "changed"])
          }
          number.value = 2
          #expect(log.entries.count == 3)
          #expect(log.entries.contains("changed"))
          withExtendedLifetime(distinct) {}
        }
      }
    }

    /// The tracked read can happen after the variable's observers are called and before the constant's
    /// tracker is called.
    @Test func trackedReadOfAnUncommittedValueReportsACommitThatIsBeingDelivered() {
      explore(isThorough: true) { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let (log, dispatcher) = (Log<String>(), Dispatcher())
        let dusts = [
          distinct.observe(ignoreFirst: true) { _ in },
          number.observe(ignoreFirst: true) { _ in log.append("told") },
        ]
        withObservationTracking {
          _ = distinct.value
        } onChange: {
        }
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            number.value = 0
          }
        }
        scenario.thread { readTracked(distinct, log) }
        scenario.check {
          // Observation itself misses a change that arrives before tracking has begun.
          if log.entries.first == "has read 1" { #expect(log.entries.contains("changed")) }
          withExtendedLifetime((distinct, dusts)) {}
        }
      }
    }

    @Test func twoConcurrentTrackedReadsOfAMapBothReportTheNextChange() {
      explore { scenario in
        let number = Variable(0)
        let (changes, freed) = (Log<Int>(), Log<String>())
        let constants = Log(transformed(number, noting: "transform", in: freed))
        for reader in 1...2 {
          scenario.thread {
            withObservationTracking {
              _ = constants.last?.value
            } onChange: {
              changes.append(reader)
            }
          }
        }
        scenario.check {
          number.value = 1
          #expect(changes.entries.sorted() == [1, 2])
          constants.removeAll()
          #expect(freed.entries == ["transform"])
        }
      }
    }
  }

  private func transformed(
    _ number: Variable<Int>,
    noting name: String,
    in freed: Log<String>
  ) -> Constant<Int> {
    let ending = AtEnd { freed.append(name) }
    return number.map { value in withExtendedLifetime(ending) { value * 10 } }
  }

  private func observe(
    _ constants: Log<Constant<Int>>,
    noting name: String,
    in freed: Log<String>
  ) -> Dust {
    let ending = AtEnd {
      _ = constants.last?.value
      freed.append(name)
    }
    guard let constant = constants.last else { preconditionFailure("There is none.") }
    return constant.observe { _ in withExtendedLifetime(ending) {} }
  }

  /// Reads a constant's value inside `withObservationTracking`, and logs the value and the next change.
  private func readTracked(_ constant: Constant<Int>, _ log: Log<String>) {
    let value = withObservationTracking {
      constant.value
    } onChange: {
      log.append("changed")
    }
    log.append("has read \(value)")
  }
#endif

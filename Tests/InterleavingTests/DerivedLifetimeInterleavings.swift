#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1, B5 and V7: a derived constant is freed once, after its last reference and its last observer are gone. A
  /// derived constant can be tracked by Observation.
  struct DerivedLifetimeInterleavings {
    /// The library releases the observer's closure while no lock is held, so the deinit of a captured
    /// object can use the constant.
    @Test func derivedConstantIsFreedIfItsObserverIsCleanedDuringAChange() {
      explore { scenario in
        let (number, freed) = (Variable(0), Log<String>())
        let constants = Log(transformed(number, noting: "transform", in: freed))
        let dust = observe(constants, noting: "observer", in: freed)
        scenario.thread { number.value = 1 }
        scenario.thread { dust.clean() }
        scenario.keep(number, dust)
        scenario.check {
          constants.removeAll()
          #expect(freed.entries == ["observer", "transform"])
        }
      }
    }

    /// During a change, a region (a variable and its derived constants) retains constants that lose their
    /// observers. The region must release these constants after the delivery.
    @Test func derivedConstantIsFreedIfItsObserversChangeDuringADelivery() {
      explore { scenario in
        let (number, freed) = (Variable(0), Log<String>())
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
        scenario.keep(number, dusts)
        scenario.check {
          constants.removeAll()
          #expect(freed.entries == ["transform"])
        }
      }
    }

    @Test func replacedValueOfADerivedConstantCanObserveTheConstantInItsDeinit() {
      explore { scenario in
        let (number, log) = (Variable(0), Log<Int>())
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
        let (number, log) = (Variable(0), Log<Int>())
        let tenfold = number.map { $0 * 10 }
        let queue = DispatchQueue(label: "queue")
        scenario.thread { number.value = 1 }
        scenario.thread { _ = tenfold.observe(on: .queue(queue)) { log.append($0) } }
        scenario.check { #expect([[0, 10], [10]].contains(log.entries)) }
      }
    }

    /// Observation itself misses a change that arrives before the reading closure has returned.
    @Test func trackedReadOfAMapDuringAWriteReportsTheNextChangeOnce() {
      explore { scenario in
        let number = Variable(0)
        let tenfold = number.map { $0 * 10 }
        let (log, changes) = (Log<Int>(), Log<Int>())
        scenario.thread { number.value = 1 }
        scenario.thread { log.append(track(tenfold.value) { changes.append(1) }) }
        scenario.keep(tenfold)
        scenario.check {
          #expect([0, 10].contains(log.last))
          number.value = 2
          #expect(changes.entries == [1])
        }
      }
    }

    /// An earlier read already tracks the constant. For that earlier read, the transaction changes nothing.
    @Test func trackedReadOfAnUncommittedValueReportsAChangeWhenAnotherValueIsCommitted() {
      exploreReadInATransaction(isObserved: false)
    }

    /// The tracked read can happen after the variable's observers are called and before the constant's
    /// tracker is called.
    @Test func trackedReadOfAnUncommittedValueReportsACommitThatIsBeingDelivered() {
      exploreReadInATransaction(isObserved: true)
    }

    private func exploreReadInATransaction(
      isObserved: Bool,
      _ name: String = #function,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      explore(name, sourceLocation: sourceLocation) { scenario in
        let (number, log) = (Variable(0), Log<String>())
        let distinct = number.removeDuplicates()
        if isObserved {
          _ = distinct.observe(ignoreFirst: true) { _ in }
          _ = number.observe(ignoreFirst: true) { _ in log.append("told") }
        }
        track(distinct.value) {}
        scenario.transaction {
          number.value = 1
          number.value = 0
          log.append("written")
        }
        scenario.thread {
          let value = track(distinct.value) { log.append("changed") }
          log.append("has read \(value)")
        }
        scenario.keep(distinct)
        scenario.check {
          let entries = log.entries.filter { $0 != "told" }
          // Observation itself misses a change that arrives before tracking has begun.
          if entries.first == "has read 1" {
            #expect(entries == ["has read 1", "written", "changed"])
          }
          number.value = 2
          #expect(log.entries.filter { $0 == "changed" }.count == 1)
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
#endif

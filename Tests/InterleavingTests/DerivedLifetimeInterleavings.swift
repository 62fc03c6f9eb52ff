#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B1, B5 and V7: a derived constant is freed once, after its last reference and its last observer are gone. A
  /// derived constant can be tracked by Observation.
  struct DerivedLifetimeInterleavings {
    /// The value isn't delivered, because the transaction replaces it.
    @Test(
      arguments: [
        { $0.map { $0 } },
        { $0.removeDuplicates { _, _ in true } },
        { Constant.combine($0, Variable(0)).map(\.0) },
      ] as [@Sendable (Variable<Released?>) -> Constant<Released?>]
    )
    func valueOfAReadInATransactionIsReleasedWithTheChange(
      derive: @Sendable (Variable<Released?>) -> Constant<Released?>
    ) {
      let (variable, held) = (Variable<Released?>(nil), Log<Bool>())
      let constant = derive(variable)
      _ = constant.observe { _ in }

      Dispatcher().transaction {
        variable.value = Released(in: held)
        _ = constant.value
        variable.value = nil
      }

      #expect(held.entries.count == 1)
      withExtendedLifetime(variable) {}
    }

    @Test func valueIsReleasedWithItsLastDustAndItsVariable() {
      let (held, variable) = (Log<Bool>(), Variable<Released?>(nil))
      let constant = variable.map { $0 }
      variable.value = Released(in: held)

      constant.observe { _ in }.clean()
      variable.value = nil

      #expect(held.entries == [false])
      withExtendedLifetime(constant) {}
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
#endif

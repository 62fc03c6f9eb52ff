#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Observation
  import Testing

  /// B5: reading a constant inside `withObservationTracking` tracks the constant.
  struct TrackingInterleavings {
    @Test func twoConcurrentTrackedReadsOfAConstantBothReportTheNextChange() {
      explore { scenario in
        let variable = Variable(0)
        let constant = Constant(variable)
        let log = Log<Int>()
        for number in 1...2 {
          scenario.thread { track(constant) { log.append(number) } }
        }
        scenario.check {
          variable.value = 1
          #expect(log.entries.sorted() == [1, 2])
          variable.value = 2
          #expect(log.entries.count == 2)
        }
      }
    }

    @Test func trackingsOfTwoConcurrentFirstReadsAreFreedWithTheConstant() {
      explore { scenario in
        let constants = Log(Variable(0).constant)
        let log = Log<String>()
        for _ in 1...2 {
          scenario.thread {
            let ending = AtEnd { log.append("freed") }
            for constant in constants.entries {
              track(constant) { withExtendedLifetime(ending) {} }
            }
          }
        }
        scenario.check {
          constants.removeAll()
          #expect(log.entries == ["freed", "freed"])
        }
      }
    }

    /// After the `onChange` closure has tracked the constant again, the constant reports only later
    /// changes.
    @Test func constantReadTwiceInOneObservationTrackingReportsAChangeOnce() {
      explore { scenario in
        let number = Variable(0)
        let distinct = number.removeDuplicates()
        let log = Log<String>()
        let dust = distinct.observe { _ in }
        let dispatcher = Dispatcher()
        scenario.thread {
          dispatcher.transaction {
            number.value = 1
            withObservationTracking {
              _ = (distinct.value, distinct.value)
            } onChange: {
              log.append("changed")
              track(distinct) { log.append("changed again") }
            }
            number.value = 2
          }
        }
        scenario.check {
          #expect(log.entries == ["changed"])
          withExtendedLifetime(dust) {}
        }
      }
    }

    /// Observation itself misses a change that arrives before the reading closure has returned.
    @Test func trackedReadOfAConstantReportsTheNextChangeOnce() {
      explore { scenario in
        let variable = Variable(0)
        let constant = Constant(variable)
        let log = Log<String>()
        scenario.thread {
          track(constant) { log.append("changed") }
          log.append("tracked")
        }
        scenario.thread {
          variable.value = 1
          log.append("written")
        }
        scenario.check {
          let entries = log.entries
          let isMissed = !entries.contains("changed")
          variable.value = 2
          #expect(log.entries == entries + (isMissed ? ["changed"] : []))
          if isMissed {
            #expect(entries == ["written", "tracked"] || entries == ["tracked", "written"])
          }
        }
      }
    }

    /// The constant is deallocated before the reading closure returns.
    @Test func trackedReadOfATemporaryConstantReportsTheNextChangeOnce() {
      explore { scenario in
        let (first, second) = (Variable(0), Variable(0))
        let log = Log<String>()
        scenario.thread {
          withObservationTracking {
            _ = Constant.combine(first, second).removeDuplicates().value
          } onChange: {
            log.append("changed")
          }
        }
        scenario.thread { second.value = 1 }
        scenario.check {
          second.value = 2
          #expect(log.entries == ["changed"])
          #expect(first.observerCount == 1)
          #expect(second.observerCount == 1)
        }
      }
    }

    @Test func twoConcurrentTrackedReadsOfTemporaryConstantsBothReportTheNextChange() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<Int>()
        for number in 1...2 {
          scenario.thread {
            withObservationTracking {
              _ = variable.map { $0 + 1 }.value
            } onChange: {
              log.append(number)
            }
          }
        }
        scenario.check {
          variable.value = 1
          #expect(log.entries.sorted() == [1, 2])
          #expect(variable.observerCount == 1)
        }
      }
    }
  }

  private func track(_ constant: Constant<Int>, onChange: @escaping @Sendable () -> Void) {
    withObservationTracking {
      _ = constant.value
    } onChange: {
      onChange()
    }
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B5: reading a constant inside `withObservationTracking` tracks the constant.
  struct TrackingInterleavings {
    @Test func twoConcurrentTrackedReadsOfAConstantBothReportTheNextChange() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        let constant = Constant(variable)
        scenario.threads(1...2) { number in track(constant.value) { log.append(number) } }
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
        let (constants, log) = (Log(Variable(0).constant), Log<String>())
        scenario.threads(1...2) { _ in
          let ending = AtEnd { log.append("freed") }
          for constant in constants.entries {
            track(constant.value) { withExtendedLifetime(ending) {} }
          }
        }
        scenario.check {
          constants.removeAll()
          #expect(log.entries == ["freed", "freed"])
        }
      }
    }

    /// The constant is deallocated before the reading closure returns.
    @Test func trackedReadOfATemporaryConstantReportsTheNextChangeOnce() {
      explore { scenario in
        let (first, second, log) = (Variable(0), Variable(0), Log<String>())
        scenario.thread {
          track(Constant.combine(first, second).removeDuplicates().value) { log.append("changed") }
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
  }
#endif

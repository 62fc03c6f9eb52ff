#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// B5: reading a constant inside `withObservationTracking` tracks the constant.
  struct TrackingInterleavings {
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

    /// The change comes before Observation has installed the tracking of the body.
    @Test(arguments: bodies.indices)
    func viewShowsTheLastChangeThatAnotherThreadMakesWhileItsBodyRuns(index: Int) {
      explore { scenario in
        let (variable, table) = (Variable(0), VariableTable([Row(number: 0)]))
        let view = View { TrackingInterleavings.bodies[index](variable, table) }
        scenario.mainThread { view.draw() }
        scenario.thread {
          for number in 1...3 {
            variable.value = number
            table[id: "a"]?.number = number
          }
        }
        scenario.check {
          #expect(view.shown == 3)
          #expect(view.drawings <= 4)
        }
      }
    }

    @Test func viewIsDrawnAtMostOnceMoreForOneChange() {
      explore { scenario in
        let variable = Variable(0)
        let view = View { variable.constant.value }
        scenario.mainThread { view.draw() }
        scenario.thread { variable.value = 1 }
        scenario.check { #expect(view.drawings <= 2) }
      }
    }

    /// The key has no effects yet, or another thread forgets it.
    @Test func viewShowsTheProgressOfAKey() {
      explore(oneIn: 4) { scenario in
        let (effects, gate) = (KeyedEffects<Int>(), Gate())
        let view = View { effects[1].isRunning.value }
        scenario.mainThread { view.draw() }
        scenario.thread { _ = effects[1] }
        scenario.thread { effects[1].run { _ in await gate.pass() } }
        scenario.keep(effects)
        scenario.check {
          #expect(view.shown == true)
          gate.open()
        }
      }
    }

    /// A block on the main queue and another thread can notify at the same time.
    @Test func eachTrackingIsNotifiedOnce() {
      explore { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        scenario.mainThread { for _ in 1...2 { track(variable.constant.value) { log.append(1) } } }
        scenario.threads(1...2) { variable.value = $0 }
        scenario.check { #expect(log.entries.count <= 2) }
      }
    }

    /// The variable is released before the block on the main queue runs.
    @Test func bodyIsNotifiedOfTheLastChangeOfAReleasedVariable() {
      explore { scenario in
        let (variables, log) = (Log(Variable(0)), Log<String>())
        scenario.mainThread {
          for variable in variables.entries {
            track(log.append("\(variable.constant.value)")) { log.append("changed") }
          }
        }
        scenario.thread {
          for variable in variables.entries { variable.value = 1 }
          variables.removeAll()
        }
        scenario.check { #expect(log.entries != ["0"]) }
      }
    }

    private static let bodies: [@Sendable (Variable<Int>, VariableTable<Row>) -> Int] = [
      { variable, _ in variable.constant.value },
      { variable, _ in variable.removeDuplicates().map(\.self).value },
      { Constant.combine($1.constant.ids, $0).value.1 },
      { $1.constant[id: "a"]?.number ?? 0 },
      { $1.constant.row(id: "a").map { $0?.number ?? 0 }.value },
      { $1.constant.rows.value[0].number },
    ]

    private struct Row: Identifiable, Sendable {
      let id = "a"
      var number: Int
    }
  }
#endif

#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V7: unreachable objects are freed once. Values that were written before a variable is released are
  /// still delivered.
  struct LifetimeInterleavings {
    @Test func valueWrittenInATransactionIsDeliveredIfTheVariableIsReleased() {
      explore { scenario in
        let (variables, log) = (Log(Variable(0)), Log<String>())
        observe(variables, as: "observer", in: log)
        scenario.transaction {
          for variable in variables.entries {
            variable.value = 1
            log.append("written")
          }
        }
        scenario.thread { variables.removeAll() }
        scenario.check {
          let freed = ["observer freed"]
          #expect([freed, ["written", "observer 1"] + freed].contains(log.entries))
        }
      }
    }

    @Test func valueWrittenByAnObserverIsDeliveredIfTheVariableIsReleased() {
      explore { scenario in
        let (trigger, variables, log) = (Variable(0), Log(Variable(0)), Log<String>())
        observe(variables, as: "observer", in: log)
        _ = trigger.observe(ignoreFirst: true) { _ in
          for variable in variables.entries {
            variable.value = 1
            log.append("written")
          }
        }
        scenario.thread { trigger.value = 1 }
        scenario.thread { variables.removeAll() }
        scenario.keep(trigger)
        scenario.check {
          let freed = ["observer freed"]
          #expect([freed, ["written", "observer 1"] + freed].contains(log.entries))
        }
      }
    }

    @Test func valueSentToAQueueIsDeliveredIfTheVariableIsReleased() {
      explore { scenario in
        let (variables, log) = (Log(Variable(0)), Log<String>())
        let queue = DispatchQueue(label: "queue")
        let dusts = observe(variables, as: "observer", in: log, on: .queue(queue))
        scenario.thread {
          for variable in variables.entries {
            variable.value = 1
            log.append("written")
          }
        }
        scenario.thread { variables.removeAll() }
        scenario.keep(dusts)
        scenario.check {
          let told = log.entries.contains("written") ? ["observer 1"] : []
          #expect(log.entries.filter { $0 != "written" } == told + ["observer freed"])
        }
      }
    }

    @Test func constantOfAVariableIsCreatedOnceWhileAnotherThreadMapsTheVariable() {
      explore { scenario in
        let (variables, constants) = (Log(Variable(0)), Log<Constant<Int>>())
        scenario.threads(1...2) { _ in
          for variable in variables.entries { constants.append(variable.constant) }
        }
        scenario.thread {
          for variable in variables.entries {
            let dust = variable.map { $0 }.observe { _ in }
            variable.value = 1
            dust.clean()
          }
        }
        scenario.check {
          let created = constants.entries
          #expect(created.count == 2 && created[0] === created[1])
          #expect(variables.entries.allSatisfy { $0.constant === created[0] })
          #expect(created[0].value == 1)
        }
      }
    }

    @Test func constantsOfTwoVariablesCanBeCreatedInsideMutationsOfEachOther() {
      explore { scenario in
        let (first, second, constants) = (Variable(0), Variable(0), Log<Constant<Int>>())
        scenario.thread { first.modify { _ in constants.append(second.constant) } }
        scenario.thread { second.modify { _ in constants.append(first.constant) } }
        scenario.check {
          #expect(constants.entries.contains { $0 === first.constant })
          #expect(constants.entries.contains { $0 === second.constant })
        }
      }
    }

    @Test func constantsOfTwoVariablesCanBeDerivedInsideMutationsOfEachOther() {
      explore { scenario in
        let (first, second, constants) = (Variable(0), Variable(0), Log<Constant<Int>>())
        for (mutated, other) in [(first, second), (second, first)] {
          scenario.thread {
            mutated.modify { number in
              constants.append(other.map { $0 })
              constants.append(Constant.combine(mutated, other.map { $0 }).map { $0 + $1 })
              number += 1
            }
          }
        }
        scenario.check { #expect(constants.entries.map(\.value).sorted() == [1, 1, 2, 2]) }
      }
    }

    @Test func constantOfAReleasedVariableIsFreedWhileAnotherThreadMapsIt() {
      explore { scenario in
        let (variables, log) = (Log(Variable(0)), Log<String>())
        let constants = Log<Constant<Int>>()
        for variable in variables.entries {
          constants.append(Constant(variable))
          variable.constant.logLifetime(in: log)
        }
        scenario.thread { variables.removeAll() }
        scenario.thread {
          for constant in constants.entries { constant.map { $0 }.observe { _ in }.clean() }
          constants.removeAll()
        }
        scenario.check { #expect(log.entries == ["freed"]) }
      }
    }
  }

  /// Observes the variable, if it still exists. Also logs the deinit of the observer's closure.
  @discardableResult
  private func observe(
    _ variables: Log<Variable<Int>>,
    as name: String,
    in log: Log<String>,
    on queue: ExecuteQueue = .current
  ) -> [Dust] {
    variables.entries.map { $0.logLifetime(in: log, as: name, on: queue) }
  }
#endif

#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V7: unreachable objects are freed once. Values that were written before a variable is released are
  /// still delivered.
  struct LifetimeInterleavings {
    @Test func variableReleasedDuringADeliveryFreesItsObservers() {
      explore { scenario in
        let variables = Log(Variable(0))
        let log = Log<String>()
        observe(variables, "first", log)
        observe(variables, "second", log)
        scenario.thread {
          for variable in variables.entries { variable.value = 1 }
        }
        scenario.thread { variables.removeAll() }
        scenario.check {
          let told = ["first 1", "second 1"]
          let freed = ["first freed", "second freed"]
          let entries = log.entries
          #expect(entries.sorted() == freed || entries.sorted() == (told + freed).sorted())
          #expect(entries.count == 2 || Array(entries.prefix(2)) == told)
        }
      }
    }

    @Test func variableReleasedByItsObserverFreesAllItsObservers() {
      explore { scenario in
        let variables = Log(Variable(0))
        let log = Log<String>()
        for variable in variables.entries {
          _ = variable.observe(ignoreFirst: true) { _ in variables.removeAll() }
        }
        observe(variables, "second", log)
        for value in 1...2 {
          scenario.thread {
            for variable in variables.entries { variable.value = value }
          }
        }
        scenario.check {
          let both = [[1, 2], [2, 1]].map { $0.map { "second \($0)" } }
          let allowed = both + [["second 1"], ["second 2"]]
          #expect(allowed.contains(log.entries.dropLast()))
          #expect(log.last == "second freed")
        }
      }
    }

    @Test func valueWrittenInATransactionIsDeliveredIfTheVariableIsReleased() {
      explore { scenario in
        let variables = Log(Variable(0))
        let log = Log<String>()
        observe(variables, "observer", log)
        scenario.thread {
          Dispatcher.shared.transaction {
            for variable in variables.entries {
              variable.value = 1
              log.append("written")
            }
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
        let trigger = Variable(0)
        let variables = Log(Variable(0))
        let log = Log<String>()
        observe(variables, "observer", log)
        let dust = trigger.observe(ignoreFirst: true) { _ in
          for variable in variables.entries {
            variable.value = 1
            log.append("written")
          }
        }
        scenario.thread { trigger.value = 1 }
        scenario.thread { variables.removeAll() }
        scenario.check {
          let freed = ["observer freed"]
          #expect([freed, ["written", "observer 1"] + freed].contains(log.entries))
          withExtendedLifetime((trigger, dust)) {}
        }
      }
    }

    @Test func valueSentToAQueueIsDeliveredIfTheVariableIsReleased() {
      explore { scenario in
        let variables = Log(Variable(0))
        let log = Log<String>()
        let queue = DispatchQueue(label: "queue")
        let dusts = observe(variables, "observer", log, on: .queue(queue))
        scenario.thread {
          for variable in variables.entries {
            variable.value = 1
            log.append("written")
          }
        }
        scenario.thread { variables.removeAll() }
        scenario.check {
          let entries = log.entries
          let isWritten = entries.contains("written")
          let told = isWritten ? ["observer 1"] : []
          #expect(entries.filter { $0 != "written" } == told + ["observer freed"])
          withExtendedLifetime(dusts) {}
        }
      }
    }

    @Test func constantOfAVariableIsCreatedOnceWhileAnotherThreadMapsTheVariable() {
      explore { scenario in
        let variables = Log(Variable(0))
        let constants = Log<Constant<Int>>()
        for _ in 0..<2 {
          scenario.thread {
            for variable in variables.entries { constants.append(variable.constant) }
          }
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
        let (first, second) = (Variable(0), Variable(0))
        let constants = Log<Constant<Int>>()
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
        let (first, second) = (Variable(0), Variable(0))
        let constants = Log<Constant<Int>>()
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
        let variables = Log(Variable(0))
        let constants = Log<Constant<Int>>()
        let log = Log<String>()
        for variable in variables.entries { constants.append(Constant(variable)) }
        for variable in variables.entries {
          let ending = AtEnd { log.append("freed") }
          _ = variable.constant.observe { _ in withExtendedLifetime(ending) {} }
        }
        scenario.thread { variables.removeAll() }
        scenario.thread {
          for constant in constants.entries { constant.map { $0 }.observe { _ in }.clean() }
          constants.removeAll()
        }
        scenario.check { #expect(log.entries == ["freed"]) }
      }
    }

    @Test func observerCleanedWhileItsVariableIsReleasedIsFreedOnce() {
      explore { scenario in
        let variables = Log(Variable(0))
        let (log, dusts) = (Log<String>(), Log<Dust>())
        for variable in variables.entries {
          let ending = AtEnd { log.append("freed") }
          dusts.append(variable.observe(ignoreFirst: true) { _ in withExtendedLifetime(ending) {} })
        }
        scenario.thread { variables.removeAll() }
        scenario.thread {
          for dust in dusts.entries { dust.clean() }
        }
        scenario.check {
          #expect(log.entries == ["freed"])
          withExtendedLifetime((variables, dusts)) {}
        }
      }
    }

    @Test func observerCleanedDuringItsCallIsFreedAfterTheCall() {
      explore { scenario in
        let variable = Variable(0)
        let log = Log<String>()
        let ending = Log(AtEnd { log.append("freed") })
        let dust = variable.observe(ignoreFirst: true) { [ending = ending.entries] _ in
          withExtendedLifetime(ending) {
            log.append("begins")
            log.append("ends")
          }
        }
        ending.removeAll()
        scenario.thread { variable.value = 1 }
        scenario.thread { dust.clean() }
        scenario.check {
          withExtendedLifetime((variable, dust)) {
            #expect([["freed"], ["begins", "ends", "freed"]].contains(log.entries))
          }
        }
      }
    }

    @Test func observerThatSubscribesWhileTheVariableIsReleasedIsFreed() {
      explore { scenario in
        let variables = Log(Variable(0))
        let log = Log<String>()
        scenario.thread { observe(variables, "observer", log, ignoreFirst: false) }
        scenario.thread { variables.removeAll() }
        scenario.check {
          #expect([[], ["observer 0", "observer freed"]].contains(log.entries))
        }
      }
    }
  }

  /// Observes the variable, if it still exists. Also logs the deinit of the observer's closure.
  @discardableResult
  private func observe(
    _ variables: Log<Variable<Int>>,
    _ name: String,
    _ log: Log<String>,
    on queue: ExecuteQueue = .current,
    ignoreFirst: Bool = true
  ) -> [Dust] {
    variables.entries.map { variable in
      let ending = AtEnd { log.append("\(name) freed") }
      return variable.observe(on: queue, ignoreFirst: ignoreFirst) { value in
        withExtendedLifetime(ending) { log.append("\(name) \(value)") }
      }
    }
  }
#endif

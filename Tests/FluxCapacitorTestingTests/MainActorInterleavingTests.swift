#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// Tests of scenarios with tasks on the main actor.
  @Suite(.timeLimit(.minutes(20)))
  struct MainActorInterleavingTests {
    @MainActor @Test func everyInterleavingFindsAnUpdateLostAcrossASuspension() async {
      let failure = await failure {
        everyInterleaving { scenario in
          let model = Model()
          for _ in 1...2 {
            scenario.task { @MainActor in
              let count = model.count
              await Task.yield()
              model.count = count + 1
            }
          }
          scenario.check { if model.count != 2 { throw WrongCount(count: model.count) } }
        }
      }

      #expect(failure.contains("the check throws WrongCount(count: 1)"))
      #expect(failure.contains("\ntask 1 on main ("))
    }

    @MainActor @Test func mainActorTasksOfAScenarioDoNotOverlap() {
      let schedules = everyInterleaving { scenario in
        let model = Model()
        for _ in 1...2 {
          scenario.task { @MainActor in
            let count = model.count
            interleavingPoint()
            model.count = count + 1
          }
        }
        scenario.check { #expect(model.count == 2) }
      }

      #expect(schedules > 10)
    }

    @Test func mainActorTasksOfAScenarioRunInTheOrderOfTheirCreation() {
      let orders = orders { scenario, log in
        scenario.thread {
          for number in 1...3 { Task { @MainActor in log.append(number) } }
        }
      }

      #expect(orders == [[1, 2, 3]])
    }

    @Test func everyInterleavingRunsAMainActorTaskBeforeAndAfterItsCreatorContinues() {
      let orders = orders { scenario, log in
        scenario.task {
          Task { @MainActor in log.append(1) }
          log.append(2)
        }
      }

      #expect(orders == [[1, 2], [2, 1]])
    }

    @Test func mainActorRunInterleavesWithTheThreadsOfAScenario() {
      let orders = orders { scenario, log in
        scenario.task {
          await MainActor.run { log.append(1) }
          log.append(2)
        }
        scenario.thread { log.append(3) }
      }

      #expect(orders == [[1, 2, 3], [1, 3, 2], [3, 1, 2]])
    }

    @Test func taskGroupOfAMainActorTaskInAScenarioWaitsForItsChildTasks() {
      let orders = orders { scenario, log in
        scenario.task { @MainActor in
          await withTaskGroup { group in
            group.addTask { log.append(1) }
            group.addTask { @MainActor in log.append(2) }
          }
          log.append(3)
        }
      }

      #expect(orders == [[1, 2, 3], [2, 1, 3]])
    }

    @Test func writeInAMainActorTaskOfAScenarioCallsObserversOnMainImmediately() {
      everyInterleaving { scenario in
        let (variable, log) = (Variable(0), Log<Int>())
        let dust = variable.observe(on: .main, ignoreFirst: true) { log.append($0) }
        scenario.task { @MainActor in
          variable.value = 1
          log.append(2)
        }
        scenario.check {
          #expect(log.entries == [1, 2])
          dust.clean()
        }
      }
    }

    @Test func blocksOnTheMainQueueAndMainActorTasksRunInTheOrderOfSubmission() {
      let orders = orders { scenario, log in
        let variable = Variable(0)
        let dust = variable.observe(on: .main, ignoreFirst: true) { log.append($0) }
        scenario.thread {
          Task { @MainActor in log.append(1) }
          variable.value = 2
          Task { @MainActor in log.append(3) }
        }
        scenario.check { dust.clean() }
      }

      #expect(orders == [[1, 2, 3]])
    }

    @Test func mainActorTasksDoNotOverlapTheMainThreadOfAScenario() {
      let orders = orders { scenario, log in
        scenario.mainThread {
          log.append(1)
          log.append(2)
        }
        scenario.thread { Task { @MainActor in log.append(3) } }
      }

      #expect(orders == [[1, 2, 3], [3, 1, 2]])
    }

    /// Returns every order in which the threads of a scenario log their numbers.
    private func orders(_ make: (Scenario, Log<Int>) -> Void) -> Set<[Int]> {
      var orders: Set<[Int]> = []
      everyInterleaving { scenario in
        let log = Log<Int>()
        make(scenario, log)
        scenario.check { orders.insert(log.entries) }
      }
      return orders
    }
  }

  private struct WrongCount: Error {
    let count: Int
  }

  @MainActor
  private final class Model {
    var count = 0
  }
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// Tests of the orders in which a scenario's tasks run, and of the number of schedules.
  @Suite(.timeLimit(.minutes(20)))
  struct JobOrderTests {
    @Test(arguments: [false, true])
    func tasksOfAScenarioRunInCreationOrderWithoutPreemptions(isAnotherThreadBeside: Bool) {
      let (orders, schedules) = explore(preemptions: 0, isAnotherThreadBeside)

      #expect(orders == [[1, 2, 3]])
      // The second thread runs before, between or after the creator and its three tasks.
      #expect(schedules == (isAnotherThreadBeside ? 5 : 1))
    }

    @Test(arguments: [false, true])
    func onePreemptionMovesAtMostOneTaskAheadOfTasksCreatedEarlier(isAnotherThreadBeside: Bool) {
      let (orders, _) = explore(preemptions: 1, isAnotherThreadBeside)

      #expect(orders == [[1, 2, 3], [1, 3, 2], [2, 1, 3], [3, 1, 2]])
    }

    @Test(arguments: [false, true])
    func twoPreemptionsReachAllOrdersOfThreeTasksInAScenario(isAnotherThreadBeside: Bool) {
      let (orders, _) = explore(preemptions: 2, isAnotherThreadBeside)

      #expect(orders.count == 6)
    }

    @Test func reducedExplorationReachesTheSameTaskOrdersAsAFullExploration() {
      let all = [false, true].map { isReduced in
        orders(of: Exploration(preemptions: 1, isReduced: isReduced)) { scenario, log in
          for number in 1...2 {
            scenario.thread {
              Task {
                log.append(number)
                Task { log.append(number + 10) }
              }
            }
          }
          scenario.thread {}
          scenario.thread { Task { log.append(3) } }
        }
      }

      #expect(all[0].count == 30)
      #expect(all[1] == all[0])
    }

    @Test func sparseExplorationSkipsOnlySchedulesWithAllPreemptions() {
      let sparse = orders(preemptions: 2, sparsity: 4)

      #expect(orders(preemptions: 1).isStrictSubset(of: sparse))
      #expect(sparse.isStrictSubset(of: orders(preemptions: 2)))

      func orders(preemptions: Int, sparsity: Int = 1) -> Set<[Int]> {
        let exploration = Exploration(preemptions: preemptions, sparsity: sparsity, isReduced: true)
        return self.orders(of: exploration) { scenario, log in
          for number in 1...2 {
            scenario.thread { for _ in 1...6 { log.append(number) } }
          }
        }
      }
    }

    @Test func scenarioOfTwoThreadsWithEffectsHasFewerThan2000Schedules() {
      let schedules = everyInterleaving(preemptions: 1) { scenario in
        let (effects, log) = (Effects(.serial), Log<Int>())
        for number in 1...2 {
          scenario.thread {
            effects.run { _ in
              log.append(number)
              log.append(number)
            }
          }
        }
        scenario.check {
          withExtendedLifetime(effects) { #expect(log.entries.count == 4) }
        }
      }

      #expect(schedules < 2000)
    }

    /// Returns the orders of the numbers that a scenario's threads append to a log.
    private func orders(
      of exploration: Exploration,
      _ addThreads: (Scenario, Log<Int>) -> Void
    ) -> Set<[Int]> {
      var orders: Set<[Int]> = []
      let failure = exploration.run { scenario in
        let log = Log<Int>()
        addThreads(scenario, log)
        scenario.check { orders.insert(log.entries) }
      }
      #expect(failure == nil)
      return orders
    }

    /// Explores a thread that creates three tasks, with or without a second thread that does nothing.
    private func explore(
      preemptions: Int,
      _ isAnotherThreadBeside: Bool
    ) -> (orders: Set<[Int]>, schedules: Int) {
      var orders: Set<[Int]> = []
      let schedules = everyInterleaving(preemptions: preemptions) { scenario in
        let log = Log<Int>()
        scenario.thread {
          for number in 1...3 { Task { log.append(number) } }
        }
        if isAnotherThreadBeside { scenario.thread {} }
        scenario.check { orders.insert(log.entries) }
      }
      return (orders, schedules)
    }
  }
#endif

#if DEBUG
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// V7: unreachable objects are freed once. Values that were written before a variable is released are
  /// still delivered.
  struct LifetimeInterleavings {
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

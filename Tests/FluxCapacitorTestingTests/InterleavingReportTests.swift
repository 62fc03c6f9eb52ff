// On Linux, a report contains the source locations of the steps in every version of the system.
#if DEBUG && os(Linux)
  import Dispatch
  import FluxCapacitor
  import FluxCapacitorDebugging
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct InterleavingReportTests {
    // MARK: Operations

    @Test func reportOfALostUpdateListsTheReadsBeforeTheWrites() async {
      let steps = await steps { scenario in
        let store = BookStore.instantiate()
        for _ in 1...2 {
          scenario.thread {
            let count = store.count.value
            BookAction().invoke(.set(count + 1))
          }
        }
        scenario.check { if store.count.value != 2 { throw Failure() } }
      }

      #expect(
        steps == """
          thread 1:
            let count = store.count.value
              reads count: 0
            BookAction().invoke(.set(count + 1))
              invokes .set(1)
          thread 2:
            let count = store.count.value
              reads count: 0
            BookAction().invoke(.set(count + 1))
              invokes .set(1)
          thread 1:
            case .set(let count): _count.value = count
              sets count to 1
          thread 2:
            BookAction().invoke(.set(count + 1))
              continues: invokes .set(1)
            case .set(let count): _count.value = count
              sets count to 1
          """
      )
    }

    @Test func reportNamesEachOperationOfAThreadAndCountsRepetitions() async {
      let steps = await stepsOfAFailure { scenario in
        let (stores, sink) = (Shared<BookStore>(), Sink<Int>())
        let dust = sink.signal.observe { _ in }
        scenario.thread {
          let store = BookStore.instantiate()
          stores.values.append(store)
          BookAction().invoke(.increment)
          store.title.observe { _ in }.clean()
          sink.send(2)
          for _ in 1...1000 { _ = store.isEmpty.value }
        }
        scenario.check {
          stores.values = []
          dust.clean()
        }
      }

      #expect(
        steps == """
          thread 1:
            let store = BookStore.instantiate()
              instantiates BookStore
            BookAction().invoke(.increment)
              invokes .increment
            case .increment: _count.value += 1
              changes count to 1
            store.title.observe { _ in }.clean()
              observes title
              calls the observer of title: "Dune"
              cleans the observation of title
            sink.send(2)
              sends to a Sink<Int>: 2
              calls the observer of a Sink<Int>: 2
              continues: sends to a Sink<Int>: 2
            for _ in 1...1000 { _ = store.isEmpty.value }
              reads isEmpty: false, 1,000 times
          """
      )
    }

    @Test func reportShowsTheCallOfAnObserverAndTheObserversReads() async {
      let steps = await stepsOfAFailure { scenario in
        let store = BookStore.instantiate()
        let dust = store.count.observe(ignoreFirst: true) { _ in
          _ = store.title.value
        }
        scenario.thread {
          BookAction().invoke(.set(3))
        }
        scenario.check { dust.clean() }
      }

      #expect(
        steps == """
          thread 1:
            BookAction().invoke(.set(3))
              invokes .set(3)
            case .set(let count): _count.value = count
              sets count to 3
            BookAction().invoke(.set(3))
              continues: invokes .set(3)
              calls the observer of count: 3
            _ = store.title.value
              reads title: "Dune"
            BookAction().invoke(.set(3))
              continues: calls the observer of count: 3
          """
      )
    }

    @Test func reportShowsATransactionAroundItsWrites() async {
      let steps = await stepsOfAFailure { scenario in
        let (first, last) = (Variable("Emmett"), Variable("Brown"))
        scenario.thread {
          Dispatcher.shared.transaction {
            first.value = "Marty"
            last.value = "McFly"
          }
        }
        scenario.check { withExtendedLifetime((first, last)) {} }
      }

      #expect(
        steps == """
          thread 1:
            Dispatcher.shared.transaction {
              runs a transaction
            first.value = "Marty"
              sets Variable<String> 1 to "Marty"
            last.value = "McFly"
              sets Variable<String> 2 to "McFly"
          """
      )
    }

    @Test func reportCutsLongValues() async {
      let steps = await stepsOfAFailure { scenario in
        let variable = Variable<[Row]>([])
        scenario.thread { variable.value = (1...9).map(Row.init) }
        scenario.check { withExtendedLifetime(variable) {} }
      }

      #expect(
        steps == """
          thread 1:
            scenario.thread { variable.value = (1...9).map(Row.init) }
              sets a Variable<Array<Row>> to [Row(number: 1), Row(number: 2), Row(nu…
          """
      )
    }

    @Test func reportHidesSecrets() async {
      let steps = await stepsOfAFailure { scenario in
        let variable = Variable(Door(code: Code(text: "1885")))
        scenario.thread { variable.value = Door(code: Code(text: "1955")) }
        scenario.check { withExtendedLifetime(variable) {} }
      }

      #expect(steps.hasSuffix("sets a Variable<Door> to Door(code: •••)"))
    }

    @Test func descriptionOfAValueAddsNoStepToTheSchedule() async {
      let steps = await stepsOfAFailure { scenario in
        let variable = Variable(Reader())
        scenario.thread { _ = variable.value }
        scenario.check { withExtendedLifetime(variable) {} }
      }

      #expect(
        steps == """
          thread 1:
            scenario.thread { _ = variable.value }
              reads a Variable<Reader>: read 7
          """
      )
    }

    @Test func descriptionThatNeedsALockOfAnotherThreadEndsTheReport() async {
      let report = await report { scenario in
        let number = Variable(7)
        let variable = Variable(Reader(of: number))
        let isChanging = Shared<Bool>()
        scenario.thread {
          number.modify { _ in
            isChanging.values = [true]
            interleavingPoint()
            isChanging.values = []
          }
        }
        scenario.thread {
          let hasCaught = isChanging.values == [true]
          _ = variable.value
          if hasCaught { throw Failure() }
        }
      }

      #expect(report.contains("thread 2 throws Failure()."))
      #expect(report.contains("\nthread 2:\n"))
      #expect(!report.contains("waits"))
    }

    @Test func reportNamesTheStoresOfVariablesWithTheSameName() async {
      let steps = await stepsOfAFailure { scenario in
        let (books, counter) = (BookStore.instantiate(), CounterStore.instantiate())
        scenario.thread {
          _ = books.count.value
          _ = counter.count.value
        }
        scenario.check { withExtendedLifetime((books, counter)) {} }
      }

      #expect(
        steps == """
          thread 1:
            _ = books.count.value
              reads BookStore.count: 0
            _ = counter.count.value
              reads CounterStore.count: 0
          """
      )
    }

    // MARK: Threads

    @Test func reportOfADeadlockEndsWithTheOperationsThatWait() async {
      let steps = await steps { scenario in
        let variables = [Variable(0), Variable(0)]
        for index in 0...1 {
          scenario.thread {
            variables[index].modify { _ in
              variables[1 - index].value = 1
            }
          }
        }
      }

      #expect(
        steps == """
          thread 1:
            variables[index].modify { _ in
              changes Variable<Int> 1
          thread 2:
            variables[index].modify { _ in
              changes Variable<Int> 2
          thread 1:
            variables[1 - index].value = 1
              sets Variable<Int> 2 to 1, but waits for a lock that thread 2 holds
          thread 2:
            variables[1 - index].value = 1
              sets Variable<Int> 1 to 1, but waits for a lock that thread 1 holds
          """
      )
    }

    @Test func reportShowsInterleavingPoints() async {
      let steps = await stepsOfAFailure { scenario in
        scenario.thread("the writer") { interleavingPoint() }
      }

      #expect(
        steps == """
          the writer:
            scenario.thread("the writer") { interleavingPoint() }
              reaches an interleaving point
          """
      )
    }

    @Test func reportShowsTheBlocksOfAQueueAsAThread() async {
      let steps = await stepsOfAFailure { scenario in
        let variable = Variable(0)
        let queue = DispatchQueue(label: "q")
        let dust = variable.observe(on: .queue(queue), ignoreFirst: true) { _ in
          interleavingPoint()
        }
        scenario.thread { variable.value = 1 }
        scenario.check { withExtendedLifetime(variable) { dust.clean() } }
      }

      #expect(
        steps == """
          thread 1:
            scenario.thread { variable.value = 1 }
              sets a Variable<Int> to 1
              sends a block to queue "q"
              continues: sets a Variable<Int> to 1
          queue "q":
            Observation.permitOne(on:) at Observation.swift
            calls the observer of a Variable<Int>: 1
            interleavingPoint()
              reaches an interleaving point
            continues: calls the observer of a Variable<Int>: 1
          """
      )
    }

    @Test func reportShowsTheTasksOfTheMainActor() async {
      let steps = await steps { scenario in
        let variable = Variable(0)
        for _ in 1...2 {
          scenario.task { @MainActor in
            let number = variable.value
            await Task.yield()
            variable.value = number + 1
          }
        }
        scenario.check {
          if variable.value != 2 { throw Failure() }
        }
      }

      #expect(
        steps == """
          task 1 (3):
            enqueues task 1 on main
          task 2 (4):
            enqueues task 2 on main
          task 1 on main (5):
            let number = variable.value
              reads a Variable<Int>: 0
          task 2 on main (3):
            let number = variable.value
              reads a Variable<Int>: 0
          task 1 (5):
            enqueues task 1 on main
          task 2 (3):
            enqueues task 2 on main
          task 1 on main (4):
            variable.value = number + 1
              sets a Variable<Int> to 1
          task 2 on main (5):
            variable.value = number + 1
              sets a Variable<Int> to 1
          """
      )
    }

    // MARK: Locations

    /// An operation ends with the library's function and the number of steps.
    @Test func eachLineOfTheUserBeginsWithItsLocation() async {
      let line = #line + 3
      let report = await report { scenario in
        let variable = Variable(0)
        scenario.thread { variable.value = 1 }
        scenario.check { try withExtendedLifetime(variable) { throw Failure() } }
      }

      #expect(
        report.contains(
          "\n  InterleavingReportTests.swift:\(line): scenario.thread { variable.value = 1 }\n"
        )
      )
      #expect(
        report.contains(
          #/\n *sets a Variable<Int> to 1 \(\w+\.\w+\(\) at \w+\.swift:\d+, 2 steps\)\n/#
        )
      )
    }

    @Test func failedExpectationOfACheckIsOneFailureWithItsComment() async {
      let failure = await failure {
        await everyInterleaving { scenario in
          let variable = Variable(0)
          scenario.thread { variable.value = 1 }
          scenario.check { #expect(variable.value == 2, "a vote is lost") }
        }
      }

      #expect(
        failure.hasPrefix(
          "Schedule 1 fails: Expectation failed: (variable.value → 1) == 2: a vote is lost\n"
        )
      )
    }

    @Test func reportEndsWithTheLastStepBeforeTheScenarioFreesItsObjects() async {
      let steps = await stepsOfAFailure { scenario in
        let (variable, dustBuster) = (Variable(0), DustBuster())
        variable.observe { _ in }.cleaned(by: dustBuster)
        variable.map { $0 + 1 }.observe { _ in }.cleaned(by: dustBuster)
        scenario.thread { [dustBuster] in withExtendedLifetime(dustBuster) { variable.value = 1 } }
      }

      #expect(steps.contains("sets a Variable<Int> to 1"))
      #expect(!steps.contains("cleans the observation"))
    }

    // MARK: Running scenarios

    private func report(_ scenario: @escaping (Scenario) throws -> Void) async -> String {
      await failure { everyInterleaving(scenario) }
    }

    /// Returns the steps of the first schedule, without source locations.
    private func stepsOfAFailure(_ scenario: @escaping (Scenario) throws -> Void) async -> String {
      await steps {
        try scenario($0)
        $0.check { throw Failure() }
      }
    }

    /// Returns the steps of the schedule that fails, without source locations.
    private func steps(_ scenario: @escaping (Scenario) throws -> Void) async -> String {
      let lines = await report(scenario).split(
        separator: "\n",
        omittingEmptySubsequences: false
      )
      return lines.dropFirst(2).dropLast(2).map { line in
        line.replacing(#/ \(\S+ at .*steps?\)$/#, with: "")
          .replacing(#/InterleavingReportTests.swift:\d+: /#, with: "")
          .replacing(#/:\d+, \d+ steps$/#, with: "")
      }
      .joined(separator: "\n")
    }
  }

  extension Dispatcher {
    enum Book: DispatchState {
      typealias RelatedStoreType = BookStore
      typealias RelatedActionType = BookAction

      case increment
      case set(Int)
    }
  }

  final class BookStore: Storable {
    var count: Constant<Int> { _count.constant }
    var title: Constant<String> { _title.constant }
    let isEmpty: Constant<Bool>
    private let _count = Variable(0)
    private let _title = Variable("Dune")

    init() {
      isEmpty = _count.map { $0 == 0 }
    }

    func reduce(with state: Dispatcher.Book) {
      switch state {
      case .increment: _count.value += 1
      case .set(let count): _count.value = count
      }
    }
  }

  struct BookAction: Actionable {
    typealias DispatchStateType = Dispatcher.Book
  }

  private struct Row: Sendable {
    let number: Int
  }

  private struct Code: Secret {
    let text: String
  }

  /// A value with a description that shows a secret.
  private struct Door: CustomStringConvertible {
    let code: Code
    var description: String { code.text }
  }

  /// A value whose description reads a variable.
  private struct Reader: Sendable, CustomStringConvertible {
    private let number: Variable<Int>

    init(of number: Variable<Int> = Variable(7)) {
      self.number = number
    }

    var description: String { "read \(number.value)" }
  }

  /// An array without a lock, because only one thread of the scenario runs at a time.
  private final class Shared<Value>: @unchecked Sendable {
    var values: [Value] = []
  }

  private struct Failure: Error {}
#endif

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// Promise B14: the first state of a type and source location that reaches no store is reported.
  @Suite(.timeLimit(.minutes(20)))
  struct UnreachedStateTests {
    @Test func stateWithoutALiveStoreWritesOneLineToStandardError() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        for number in 1...3 { CounterAction().invoke(.add(number), line: 7) }
      }

      #expect(
        lines(of: result) == [
          """
          FluxCapacitorTests/UnreachedStateTests.swift:7: A FluxCapacitor.Dispatcher.Counter has \
          reached no store. No live FluxCapacitorTestSupport.CounterStore is registered. Instantiate the \
          store, and keep a reference to it.
          """
        ]
      )
    }

    @Test func storeOfAnotherDispatcherIsNamedAsTheReason() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let store = withDispatcher(Dispatcher()) { (CounterStore.instantiate(), Dispatcher.shared) }
        CounterAction().invoke(.add(1))
        withExtendedLifetime(store) {}
      }

      #expect(
        lines(of: result).map {
          $0.hasSuffix(
            "A live FluxCapacitorTestSupport.CounterStore is registered with a different dispatcher."
          )
        } == [true]
      )
    }

    @Test func eachTypeOfStatesAndEachPlaceIsReportedOnce() async {
      await #expect(processExitsWith: .success) {
        let places = Variable<[String]>([])
        Dispatcher.onUnreachedState = { unreached in
          places.value.append("\(type(of: unreached.state)) \(unreached.line)")
          // The closure is called under no lock, so it may dispatch and read.
          Dispatcher.shared.read {}
          Dispatcher.shared.dispatch(Dispatcher.Counter.add(3), line: 1)
        }
        for dispatcher in [Dispatcher.shared, Dispatcher()] {
          dispatcher.dispatch(Dispatcher.Counter.add(1), line: 1)
          dispatcher.dispatch(Dispatcher.Counter.add(2), line: 2)
          dispatcher.dispatch(Home.State.rename("a"), line: 2)
          dispatcher.dispatch(Work.State.rename("b"), line: 2)
        }

        precondition(places.value == ["Counter 1", "Counter 2", "State 2", "State 2"])
      }
    }

    @Test func stateOfAnEffectIsReportedAfterTheDispatcherHasGivenUpItsTurn() async {
      await #expect(processExitsWith: .success) {
        let dispatcher = Dispatcher.shared
        let calls = Tally()
        Dispatcher.onUnreachedState = { _ in
          // Another thread can take the turn.
          inParallel(2) { _ in dispatcher.read { calls.add() } }
        }
        await Effects().run { CounterAction().invoke(.add(1), as: $0) }.value

        precondition(calls.value == 2)
      }
    }

    @Test func stateIsReportedAfterManyUnreachedStates() async {
      await #expect(processExitsWith: .success) {
        let calls = Tally()
        Dispatcher.onUnreachedState = { _ in calls.add() }
        for _ in 0..<200_000 { _ = Dispatcher.onUnreachedState }
        CounterAction().invoke(.add(1))

        precondition(calls.value == 1)
      }
    }

    @Test func nilSilencesTheLine() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        Dispatcher.onUnreachedState = nil
        precondition(Dispatcher.onUnreachedState == nil)
        CounterAction().invoke(.add(1))
      }

      #expect(lines(of: result) == [])
    }

    @Test func stateThatReachesAStoreOrAnObserverOfStatesIsNotReported() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let dust = Dispatcher.shared.observe(Dispatcher.Counter.self) { _ in }
        CounterAction().invoke(.add(1))
        dust.clean()
        let iterator = Dispatcher.shared.states(of: Dispatcher.Counter.self).makeAsyncIterator()
        CounterAction().invoke(.add(2))
        withExtendedLifetime(iterator) {}
        let store = CounterStore.instantiate()
        CounterAction().invoke(.add(3))
        withExtendedLifetime(store) {}
      }

      #expect(lines(of: result) == [])
    }

    @Test func stateThatOnlyAnInterceptorOrAFormerObserverSeesIsReported() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        Dispatcher.shared.observe(Dispatcher.Counter.self) { _ in }.clean()
        let dust = Dispatcher.shared.intercept { _ in }
        CounterAction().invoke(.add(1))
        dust.clean()
      }

      #expect(lines(of: result).count == 1)
    }

    @Test func statesWithoutAStoreAreSilent() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        Invoker<Toast>().invoke(.show)
      }

      #expect(lines(of: result) == [])
    }

    private enum Toast: DispatchState {
      typealias RelatedStoreType = NoStore<Self>

      case show
    }

    @Test func isolatedTestsAreSilent() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        await withDispatcher(Dispatcher(reportingUnreachedStates: false)) {
          CounterAction().invoke(.add(1))
          Dispatcher().dispatch(Dispatcher.Counter.add(2))
          await Task { CounterAction().invoke(.add(3)) }.value
        }
      }

      #expect(lines(of: result) == [])
    }

    private func lines(of result: ExitTest.Result?) -> [String] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        .split(separator: "\n").map(String.init).filter { $0.contains("has reached no store") }
    }
  }
#endif

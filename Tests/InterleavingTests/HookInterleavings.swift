#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import Testing

  /// B6: the hooks behind interceptors can be added and removed at any time. A hook keeps no store alive.
  struct HookInterleavings {
    @Test func interceptorsAreCalledInTheOrderOfTheirRegistration() {
      explore { scenario in
        let log = Log<String>()
        for name in ["first", "second"] {
          _ = Dispatcher.shared.intercept { log.append("\(name) \($0.sequenceNumber)") }
        }
        scenario.thread { for number in 1...2 { CounterAction().invoke(.add(number)) } }
        scenario.check {
          #expect(log.entries == ["first 1", "second 1", "first 2", "second 2"])
        }
      }
    }

    @Test func interceptorAddedWhileTheLastInterceptorIsCleanedReceivesEveryEvent() {
      explore { scenario in
        let log = Log<Int>()
        let last = Dispatcher.shared.intercept { _ in }
        scenario.thread { last.clean() }
        scenario.thread {
          _ = Dispatcher.shared.intercept { log.append($0.sequenceNumber) }
          CounterAction().invoke(.add(1))
        }
        scenario.check { #expect(log.entries.count == 1) }
      }
    }

    /// If the library released the hook during a reduce, a state dispatched by the hook's deinit would wait
    /// for that reduce.
    @Test func stateDispatchedInTheDeinitOfACleanedHookIsReducedImmediately() {
      explore(isReduced: false) { scenario in
        let log = Log<String>()
        let dust = {
          let ending = AtEnd {
            dispatch(.log(2, in: log))
            log.append("gone")
          }
          return Dispatcher.shared.addHook { _ in withExtendedLifetime(ending) {} }
        }()
        scenario.thread { dispatch { _ in } }
        scenario.thread { dust.clean() }
        scenario.keep(FirstStore.instantiate())
        scenario.check { #expect(log.entries == ["first 2", "gone"]) }
      }
    }
  }
#endif

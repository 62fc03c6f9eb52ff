#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Testing

  /// V5: after `clean()` has returned, no call starts any more.
  ///
  /// There is no point between the start of a call and what it does first. So these say by a `Flag` that
  /// `clean()` has returned, and leave no schedule out.
  struct CleaningInterleavings {
    /// Once, a second `clean()` returned at once while the first still waited for a thread that was about
    /// to call.
    @Test func noCallOnAQueueStartsAfterEitherOfTwoCleans() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = variable.observe(on: .queue(DispatchQueue(label: "queue")), ignoreFirst: true) {
          _ in
          if isCleaned.isSet { isLate.set() }
        }
        scenario.thread {
          variable.value = 1
          dust.clean()
        }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }

    @Test func noCallStartsAfterEitherOfTwoCleans() {
      explore(isReduced: false) { scenario in
        let variable = Variable(0)
        let (isCleaned, isLate) = (Flag(), Flag())
        let dust = variable.observe(ignoreFirst: true) { _ in
          if isCleaned.isSet { isLate.set() }
        }
        scenario.thread { variable.value = 1 }
        scenario.thread { dust.clean() }
        scenario.thread {
          dust.clean()
          isCleaned.set()
        }
        scenario.check { #expect(!isLate.isSet) }
      }
    }
  }
#endif

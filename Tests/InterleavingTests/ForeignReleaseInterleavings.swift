#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// Where user code runs while the thread holds a lock.
  enum LockedPlace: CaseIterable {
    case transaction, read, modify, initializer

    fileprivate func run(_ body: @escaping @Sendable () -> Void) {
      switch self {
      case .transaction: Dispatcher().transaction(body)
      case .read: Dispatcher().read(body)
      case .modify: Variable(0).modify { _ in body() }
      case .initializer:
        PageStore.inInit = body
        withDispatcher(Dispatcher()) { withExtendedLifetime(PageStore.instantiate()) {} }
      }
    }
  }

  /// V3: what another part of the program has captured or replaced is released when this thread holds no lock.
  extension ForeignChangeInterleavings {
    private var observer: @Sendable (Int) -> Void {
      let released = Released(in: held)
      return { _ in withExtendedLifetime(released) {} }
    }

    @Test(arguments: LockedPlace.allCases)
    func closureIsReleasedAfterItsVariableIsReleased(place: LockedPlace) {
      let variables = Log(Variable(0))
      _ = variables.entries[0].observe(changes: observer)
      place.run { variables.removeAll() }
      #expect(held.entries == [false])
    }

    @Test(arguments: LockedPlace.allCases)
    func closureIsReleasedAfterItsDustIsCleaned(place: LockedPlace) {
      let variable = Variable(0)
      let dust = variable.observe(changes: observer)
      place.run { dust.clean() }
      #expect(held.entries == [false])
    }

    /// A new scoped observation ends older ones after their objects.
    @Test(arguments: LockedPlace.allCases)
    func closureIsReleasedAfterALaterObservation(place: LockedPlace) {
      let (sink, variable, object) = (Sink<Int>(), Variable(0), Released(in: Log<Bool>()))
      sink.signal.observe(duringScopeOf: Released(in: Log<Bool>()), changes: observer)
      // Other tests have added observations too.
      while held.entries.isEmpty {
        place.run { for _ in 1...100 { variable.observe(duringScopeOf: object) { _ in } } }
      }
      #expect(held.entries == [false])
      withExtendedLifetime(sink) {}
    }

    /// The value of the constant, and the current value of its input, are the last references.
    @Test func replacedValueIsReleasedAfterTheTransactionThatCleansItsLastObserver() {
      explore { scenario in
        let held = Log<Bool>()
        let (first, second) = (Variable<Released?>(Released(in: held)), Variable(0))
        let both = Constant.combine(first, second)
        let dust = both.map { $0.1 }.observe { _ in }
        scenario.transaction { dust.clean() }
        scenario.thread { first.value = nil }
        scenario.thread { _ = both.value.1 }
        scenario.keep(first, second, both)
        scenario.check { #expect(!held.entries.contains(true)) }
      }
    }

    /// The snapshot from which the constant starts is the last reference.
    @Test func replacedValueIsReleasedAfterTheTransactionThatObservesItsConstant() {
      explore { scenario in
        let held = Log<Bool>()
        let variable = Variable<Released?>(Released(in: held))
        let one = variable.map { _ in 1 }.removeDuplicates()
        scenario.transaction { _ = one.observe(ignoreFirst: true) { _ in } }
        scenario.thread { variable.value = nil }
        scenario.keep(variable, one)
        scenario.check { #expect(!held.entries.contains(true)) }
      }
    }
  }
#endif

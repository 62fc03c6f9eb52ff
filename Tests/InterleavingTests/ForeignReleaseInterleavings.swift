#if DEBUG
  import Dispatch
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

    /// The variable is gone, and its last value waits on the queue.
    @Test(arguments: LockedPlace.allCases)
    func closureIsReleasedAfterItsDustIsCleanedWhileAValueWaits(place: LockedPlace) {
      let queue = DispatchQueue(label: "waiting")
      queue.suspend()
      let variables = Log(Variable(0))
      let dust = variables.entries[0].observe(on: .queue(queue), changes: observer)
      variables.removeAll()
      place.run { dust.clean() }
      #expect(held.entries == [false])
      queue.resume()
    }

    @Test(arguments: LockedPlace.allCases)
    func queryIsReleasedAfterItsDustIsCleaned(place: LockedPlace) {
      withDispatcher(Dispatcher()) {
        let store = ObjectQueryStore.instantiate()
        let dusts = (1...2).map { _ in store.query(Object(in: held)) }
        for dust in dusts { place.run { dust.clean() } }
        #expect(held.entries == [false, false])
        withExtendedLifetime(store) {}
      }
    }

    @Test(arguments: LockedPlace.allCases)
    func valueInABufferIsReleasedAfterItsIterator(place: LockedPlace) {
      let variable = Variable<Released?>(nil)
      let iterators = Log(Box(variable.values(buffering: .unbounded).makeAsyncIterator()))
      variable.value = Released(in: held)
      variable.value = nil
      place.run { iterators.removeAll() }
      #expect(held.entries == [false])
    }

    /// The iterator outlives its table.
    @Test(arguments: LockedPlace.allCases)
    func missedChangeOfATableIsReleasedAfterItsIterator(place: LockedPlace) {
      let tables = Log(VariableTable([Row(id: Object(in: held))]))
      let iterators = Log(Box(tables.entries[0].changes.makeAsyncIterator()))
      tables.entries[0].removeAll()
      tables.removeAll()
      place.run { iterators.removeAll() }
      #expect(held.entries == [false])
    }

    @Test(arguments: LockedPlace.allCases)
    func idOfARemovedRowIsReleasedAfterTheConstantOfTheRow(place: LockedPlace) {
      let table = VariableTable([Row(id: Object(in: held))])
      let constants = Log(table.row(id: Object(in: Log())))
      table.remove(id: Object(in: Log()))
      place.run { constants.removeAll() }
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

    /// What a read or an observer's first value has taken from the variable is the last reference.
    @Test(
      arguments: [
        { variable, _ in _ = Constant.combine(variable.map { _ in 1 }, Variable(0)).value },
        { variable, _ in _ = variable.map { _ in 1 }.removeDuplicates().value },
        { variable, _ in _ = variable.map { _ in 1 }.value },
        { variable, _ in _ = variable.observe { _ in } },
        { variable, _ in _ = variable.observeChanges { _, _ in } },
        { _, observed in _ = observed.observe { _ in } },
        { _, observed in _ = observed.observe(ignoreFirst: true) { _ in } },
        { _, observed in _ = observed.map { _ in 1 }.value },
      ] as [@Sendable (Variable<Released?>, Constant<Released>) -> Void],
      [LockedPlace.transaction, .modify]
    )
    func replacedValueIsReleasedAfterTheCodeThatUsesIt(
      use: @escaping @Sendable (Variable<Released?>, Constant<Released>) -> Void,
      place: LockedPlace
    ) {
      explore { scenario in
        let held = Log<Bool>()
        let variable = Variable<Released?>(Released(in: held))
        let observed = variable.map { _ in Released(in: held) }
        _ = observed.observe { _ in }
        scenario.thread { place.run { use(variable, observed) } }
        scenario.thread { variable.value = nil }
        scenario.keep(variable)
        scenario.check { #expect(!held.entries.contains(true)) }
      }
    }

    @Test func resultOfATaskIsReleasedAfterTheTransactionThatCleansItsDust() {
      explore { scenario in
        let (held, dusts) = (Log<Bool>(), DustBuster())
        scenario.thread { Task { Released(in: held) }.cleaned(by: dusts) }
        scenario.transaction { dusts.clean() }
        scenario.check { #expect(held.entries == [false]) }
      }
    }

    @Test func replacedRowsAreReleasedAfterTheTransactionThatMakesAnIterator() {
      explore { scenario in
        let held = Log<Bool>()
        let (table, iterators) = (VariableTable<Row>(), Log<Any & Sendable>())
        table.append(Row(id: Object(in: Log()), released: Released(in: held)))
        scenario.transaction { iterators.append(Box(table.changes.makeAsyncIterator())) }
        scenario.thread { table.removeAll() }
        scenario.keep(table, iterators)
        scenario.check { #expect(!held.entries.contains(true)) }
      }
    }
  }

  /// An object that equals all others.
  private final class Object: Hashable, Sendable {
    private let released: Released

    init(in held: Log<Bool>) { released = Released(in: held) }

    static func == (_: Object, _: Object) -> Bool { true }

    func hash(into _: inout Hasher) {}
  }

  private struct Row: Identifiable, Sendable {
    let id: Object
    var released: Released?
  }

  private final class ObjectQueryStore: Queryable {
    enum State: DispatchState { typealias RelatedStoreType = ObjectQueryStore }

    let queries = Queries<Object>()

    func reduce(with _: State) {}
    func activeQueriesDidChange(from _: Set<Object>, to _: Set<Object>) {}
  }

  /// An iterator, which only one thread at a time uses.
  private final class Box<Iterator>: @unchecked Sendable {
    private let iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }
  }
#endif

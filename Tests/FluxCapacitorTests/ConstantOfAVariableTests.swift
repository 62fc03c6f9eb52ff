import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// `Variable.constant` and `VariableTable.constant`: the read-only side is created once.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct ConstantOfAVariableTests {
  private let variable = Variable(1)
  private let log = Log<String>()

  @Test func eachReadReturnsTheSameConstant() {
    #expect(variable.constant === variable.constant)
  }

  @Test func constantHasTheValueAndTheObserversOfItsVariable() {
    let dust = variable.constant.observe { [log] in log.append("\($0)") }
    variable.value = 2
    dust.clean()
    variable.value = 3

    #expect(log.entries == ["1", "2"])
    #expect(variable.constant.value == 3)
  }

  @Test func firstReadInsideAMutationReturnsTheConstant() {
    let constant = variable.modify { _ in variable.constant }
    #expect(constant === variable.constant)
    #expect(constant.value == 1)
  }

  @Test(.oneAtATime)
  func constantIsCreatedOnceWhileSeveralThreadsReadItAndOneMapsTheVariable() async {
    let variables = (0..<stress(500_000)).map { _ in Variable(0) }
    let logs = (0..<4).map { _ in Log<ObjectIdentifier>() }

    await inParallel(4) { thread in
      // A thread that creates a constant is slower than the threads that follow, so threads often meet.
      for variable in variables {
        if thread == 0 { variable.map { $0 }.observe { _ in }.clean() }
        logs[thread].append(ObjectIdentifier(variable.constant))
      }
    }

    let constants = variables.map { ObjectIdentifier($0.constant) }
    for log in logs { #expect(log.entries == constants) }
  }

  @Test(arguments: [false, true])
  func constantIsFreedWithItsVariable(isMapped: Bool) {
    weak var constant: Constant<Int>?
    let tally = Tally()
    do {
      let variable = Variable(0)
      let dust = isMapped ? variable.map { $0 }.observe { _ in } : nil
      _ = variable.constant.observe { [counted = Counted(tally)] _ in counted.pass(()) }
      constant = variable.constant
      #expect(constant != nil)
      dust?.clean()
    }
    #expect(constant == nil)
    #expect(tally.value == 0)
  }

  @Test func eachReadOfATableReturnsTheSameConstantTable() {
    let table = VariableTable([Card("a")])
    let constant = table.constant
    let dust = constant.row(id: "a").map { $0 == nil }.observe { _ in }
    table.append(Card("b"))
    #expect(table.constant === constant)
    #expect(constant.rows.value.count == 2)
    dust.clean()
  }

  @Test func constantTableIsFreedWithItsTable() {
    weak var constant: ConstantTable<Card>?
    do {
      let table = VariableTable([Card("a")])
      constant = table.constant
      #expect(constant != nil)
    }
    #expect(constant == nil)
  }

  @Test func interceptorCallsAVariableByTheNameOfItsComputedConstant() {
    let store = ComputedStore.instantiate()
    let dust = Dispatcher.shared.intercept { [log] event in
      log.append(event.changes.map { "\($0.name) \($0.newValue)" }.joined(separator: ", "))
    }

    Dispatcher.shared.dispatch(Dispatcher.Computed.set(1))

    #expect(log.entries == ["count 1, total 1, _total 1"])
    dust.clean()
    withExtendedLifetime(store) {}
  }
}

extension Dispatcher {
  fileprivate enum Computed: DispatchState {
    typealias RelatedStoreType = ComputedStore

    case set(Int)
  }
}

/// Two variables of this store would have the same name without the underscore.
private final class ComputedStore: Storable {
  private let _count = Variable(0)
  private let total = Variable(0)
  private let _total = Variable(0)

  var count: Constant<Int> { _count.constant }

  func reduce(with state: Dispatcher.Computed) {
    switch state {
    case .set(let value):
      for variable in [_count, total, _total] { variable.value = value }
    }
  }
}

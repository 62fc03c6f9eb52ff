import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// Promise V6: `modify` and in-place changes of `value` lose no write and copy nothing.
@Suite(.isolatedDispatcher)
struct MutationTests {
  @Test func observerReceivesEachInPlaceChangeOfAValueOnce() {
    let variable = Variable([1])
    let recorder = ValueRecorder(variable, ignoreFirst: true)

    variable.value.append(2)
    variable.value[0] += 9

    #expect(recorder.values == [[1, 2], [10, 2]])
  }

  @Test func changingAVariablesArrayInPlaceCopiesNoElements() {
    let variable = Variable(Array(0..<100))

    let before = variable.modify { $0.withUnsafeBufferPointer(\.baseAddress) }
    variable.value[50] = 0
    let after = variable.modify { $0.withUnsafeBufferPointer(\.baseAddress) }

    #expect(before == after)
  }

  @Test func modifyReturnsTheResultOfItsBody() {
    let tickets = Variable(["A1", "A2"])

    let mine = tickets.modify { $0.popLast() }

    #expect(mine == "A2")
    #expect(tickets.value == ["A1"])
  }

  @Test func modifyThatThrowsStillDeliversTheChangeMadeBeforeTheError() {
    struct Failure: Error, Equatable {}
    let variable = Variable(0)
    let recorder = ValueRecorder(variable, ignoreFirst: true)

    #expect(throws: Failure()) {
      try variable.modify { value in
        value = 1
        throw Failure()
      }
    }

    #expect(recorder.values == [1])
  }

  @Test func writeToAnotherVariableInsideAMutationIsDeliveredAfterTheMutation() {
    let variable = Variable(0)
    let other = Variable(0)
    let log = Log<String>()
    let dusts = DustBuster()
    variable.observe(ignoreFirst: true) { log.append("variable \($0)") }.cleaned(by: dusts)
    other.observe(ignoreFirst: true) { log.append("other \($0), variable is \(variable.value)") }
      .cleaned(by: dusts)

    variable.modify { value in
      value = 1
      other.value = 1
      #expect(log.entries.isEmpty)
    }

    #expect(log.entries == ["other 1, variable is 1", "variable 1"])
  }

  @Test func stateInvokedInsideAMutationIsReducedAfterTheMutationEnds() {
    let store = CounterStore.instantiate()
    let variable = Variable(0)

    variable.modify { value in
      CounterAction().invoke(.add(1))
      #expect(store.count.value == 0)
      value = 1
    }

    #expect(store.count.value == 1)
  }

  @Test func statesInvokedInsideAMutationAreReducedBeforeStatesInvokedByItsObservers() {
    let dispatcher = Dispatcher.shared
    let store = ScriptStore.instantiate()
    let variable = Variable(0)
    let log = Log<String>()
    let dust = variable.observe(ignoreFirst: true) { _ in
      dispatcher.reduce { _ in log.append("observer") }
    }

    variable.modify { value in
      dispatcher.reduce { _ in log.append("mutation") }
      value = 1
    }

    #expect(log.entries == ["mutation", "observer"])
    dust.clean()
    withExtendedLifetime(store) {}
  }

  @Test func mutationThatReleasesAnObserverOfItsVariableEndsThatObservation() {
    final class Item: Sendable {
      private let dusts = DustBuster()

      init(of variable: Variable<[Item]>, _ log: Log<Int>) {
        variable.observe(ignoreFirst: true) { log.append($0.count) }.cleaned(by: dusts)
      }
    }
    let variable = Variable<[Item]>([])
    let log = Log<Int>()
    variable.value.append(Item(of: variable, log))

    variable.value.removeAll()
    variable.value.append(Item(of: variable, log))
    variable.value = []
    variable.value = []

    #expect(log.entries == [1, 1, 0])
  }

  @Test func modifyInsideAReduceIsDeliveredTogetherWithTheReducesOtherWrites() {
    let dispatcher = Dispatcher.shared
    let store = ScriptStore.instantiate()
    let recorder = ValueRecorder(store.first, ignoreFirst: true)

    dispatcher.reduce { store in
      store.first.value += 1
      store.first.modify { $0 += 1 }
      #expect(recorder.values.isEmpty)
    }

    #expect(recorder.values == [2])
  }

  @Test func mutationThatReleasesTheLastReferenceToADerivedConstantOfItsVariableDoesNotTrap() {
    let rows = Variable<[Constant<Int>]>([])
    rows.value = [rows.map(\.count)]

    rows.value.removeAll()

    #expect(rows.value.isEmpty)
  }

  @Test func deinitOfAReplacedValueReadsTheNewValueOfTheVariable() {
    let variable = Variable<AtEnd?>(nil)
    let log = Log<Bool>()
    variable.value = AtEnd { log.append(variable.value == nil) }

    variable.value = nil

    #expect(log.entries == [true])
  }
}

import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct ArchitectureSnippets {
  @Test func dispatchCallsTheObserverWithTheNewCount() {
    let log = Variable<[String]>([])
    let print = { @Sendable (line: String) in log.value.append(line) }

    let store = CounterStore.instantiate()
    let dust = store.count.observe { print("The count is \($0).") }
    CounterAction().invoke(.add(1))
    dust.clean()

    #expect(log.value == ["The count is 0.", "The count is 1."])
  }

  @Test func diamondOfDerivedConstantsDeliversEachChangeOnce() {
    let log = Variable<[String]>([])
    let print = { @Sendable (value: (Int, Int)) in log.value.append("\(value)") }

    let number = Variable(0)
    let tens = number.map { $0 / 10 }
    let ones = number.map { $0 % 10 }
    let both = Constant.combine(tens, ones)  // Both sources are in one region: that of `number`.
    let dust = both.observe { print($0) }  // (0, 0)
    number.value = 12
    number.value = 34
    dust.clean()

    #expect(log.value == ["(0, 0)", "(1, 2)", "(3, 4)"])
  }
}

import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct EngineSnippets {
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

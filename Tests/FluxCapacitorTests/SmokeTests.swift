import FluxCapacitor
import Testing

struct SmokeTests {
  @Test func flow() {
    withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      let log = Log<Int>()
      let dust = store.count.observe { log.append($0) }
      CounterAction().invoke(.add(1))
      CounterAction().invoke(.add(2))
      #expect(log.entries == [0, 1, 3])
      #expect(store.doubled.value == 6)
      dust.clean()
      CounterAction().invoke(.add(2))
      #expect(log.entries == [0, 1, 3])
    }
  }
  @MainActor @Test func mainFlow() async {
    let v = Variable(0)
    final class C { var seen: [Int] = [] }
    let c = C()
    let dust = v.observe(on: .main) { c.seen.append($0) }
    v.value = 1
    #expect(c.seen == [0, 1])
    dust.clean()
  }
  @Test func chain() {
    let v = Variable(0)
    let dust = v.observe { if $0 < 100_000 { v.value = $0 + 1 } }
    #expect(v.value == 100_000)
    dust.clean()
  }
}

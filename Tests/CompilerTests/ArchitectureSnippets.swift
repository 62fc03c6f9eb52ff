import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher)
struct ArchitectureSnippets {
  @Test func oneDispatch() {
    let log = Variable<[String]>([])
    let print = { @Sendable (line: String) in log.value.append(line) }

    let store = CounterStore.instantiate()
    let dust = store.count.observe { print("The count is \($0).") }
    CounterAction().invoke(.add(1))
    dust.clean()

    #expect(log.value == ["The count is 0.", "The count is 1."])
  }
}

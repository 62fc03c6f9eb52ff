import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct WaitForStressTests {
  @Test func storesThatUseWaitForReduceEachConcurrentStateOnceAndAfterTheAwaitedStores() async {
    let dispatcher = Dispatcher()
    let stores = withDispatcher(dispatcher) { relayStores() }
    let order = Order()

    await inParallel(8) { _ in
      for index in 0..<stress(25_000) {
        dispatcher.dispatch(
          Relay.run { store in
            if store is FirstStore {
              if index.isMultiple(of: 2) { store.wait(for: SecondStore.self) }
            } else if store is SecondStore {
              store.wait(for: ThirdStore.self)
            }
            order.append(store)
          }
        )
      }
    }

    #expect(order.states == stress(200_000))
    #expect(order.isRight)
    withExtendedLifetime(stores) {}
  }
}

/// Checks that each store reduces each state once, and `ThirdStore` before `SecondStore`.
///
/// `@unchecked Sendable` is safe because reduces never overlap. The thread sanitizer reports overlapping
/// reduces.
private final class Order: @unchecked Sendable {
  private(set) var states = 0
  private(set) var isRight = true
  private var seen: [String] = []

  func append(_ store: any RelayStore) {
    seen.append(store is FirstStore ? "1" : store is SecondStore ? "2" : "3")
    guard seen.count == 3 else { return }
    isRight = isRight && [["3", "2", "1"], ["1", "3", "2"]].contains(seen)
    states += 1
    seen = []
  }
}

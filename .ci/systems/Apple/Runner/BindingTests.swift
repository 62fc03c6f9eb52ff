import FluxCapacitor
import SwiftUI
import Testing

@MainActor
struct BindingTests {
  @Test func closureOfABindingSeesTheDispatcherInWhichTheBindingWasMade() async {
    let (text, dispatcher) = (Variable(""), Dispatcher())
    var seen: [Dispatcher] = []
    let binding = withDispatcher(dispatcher) {
      text.constant.binding { _ in seen.append(.shared) }
    }
    await binding.change(to: "1985")

    #expect(seen.map(ObjectIdentifier.init) == [ObjectIdentifier(dispatcher)])
  }
}

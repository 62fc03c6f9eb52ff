import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The example of the doc comment on `Invoker`.

extension Dispatcher {
  enum Theme: DispatchState {
    typealias RelatedStoreType = ThemeStore

    case use(String)
  }
}

final class ThemeStore: Storable {
  let name = Variable("light")

  func reduce(with state: Dispatcher.Theme) {
    switch state {
    case .use(let name): self.name.value = name
    }
  }
}

@Suite(.isolatedDispatcher)
struct InvokerSnippets {
  @Test func stateWithoutActionMethodsNeedsNoActionType() {
    let store = ThemeStore.instantiate()

    Invoker<Dispatcher.Theme>().invoke(.use("dark"))

    #expect(store.name.value == "dark")
    #expect(Dispatcher.Theme.RelatedActionType.self == Invoker<Dispatcher.Theme>.self)
  }
}

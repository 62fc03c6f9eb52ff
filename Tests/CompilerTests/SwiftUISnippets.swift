// On systems without SwiftUI, `.ci/platforms` compiles this file with a substitute for SwiftUI.
#if canImport(SwiftUI)
  import FluxCapacitor
  import SwiftUI

  struct CounterView: View {
    @State private var store = CounterStore.instantiate()
    private let action = Invoker<Dispatcher.Counter>()

    var body: some View {
      Text("Count: \(store.count.value)")
      Button("Add one") { action.invoke(.add(1)) }
    }
  }

  extension TableSnippets {
    struct CardList: View {
      @State private var store = CardStore.instantiate()

      var body: some View {
        ForEach(store.cards.ids.value, id: \.self) { id in
          CardRow(store: store, id: id)
        }
      }
    }

    struct CardRow: View {
      let store: CardStore
      let id: String

      var body: some View {
        Text(store.cards.row(id).value?.title ?? "")
      }
    }
  }

  struct SettingsView: View {
    @State private var store = SettingsStore.instantiate()
    private let action = SettingsAction()

    var body: some View {
      Toggle(
        "Notifications",
        isOn: store.isNotifying.binding { action.invoke(.setNotifying($0)) }
      )
    }
  }

  extension Dispatcher {
    enum Settings: DispatchState {
      typealias RelatedStoreType = SettingsStore
      typealias RelatedActionType = SettingsAction

      case setNotifying(Bool)
    }
  }

  struct SettingsAction: Actionable {
    typealias DispatchStateType = Dispatcher.Settings
  }

  final class SettingsStore: Storable {
    var isNotifying: Constant<Bool> { _isNotifying.constant }
    private let _isNotifying = Variable(false)

    func reduce(with state: Dispatcher.Settings) {
      switch state {
      case .setNotifying(let isNotifying): _isNotifying.value = isNotifying
      }
    }
  }
#endif

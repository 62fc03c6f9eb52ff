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

  struct CardList: View {
    @State private var store = CardStore.instantiate()
    private let action = Invoker<Dispatcher.Cards>()

    var body: some View {
      List {
        ForEach(store.cards.ids.value, id: \.self) { id in
          CardRow(store: store, id: id)
        }
        .onDelete { positions in
          let ids = store.cards.ids.value
          for position in positions { action.invoke(.remove(ids[position])) }
        }
      }
    }
  }

  struct CardRow: View {
    let store: CardStore
    let id: String

    var body: some View {
      Text(store.cards.row(id: id).value?.title ?? "")
    }
  }

  private final class FeedStore: Storable {
    let refreshes = Effects(.first)
    var items: Constant<[String]> { _items.constant }
    private let _items = Variable<[String]>([])

    func reduce(with state: Dispatcher.Feed) {
      switch state {
      case .loaded(let items): _items.value = items
      }
    }
  }

  extension Dispatcher {
    fileprivate enum Feed: DispatchState {
      typealias RelatedStoreType = FeedStore

      case loaded([String])
    }
  }

  private struct FeedAction: Actionable {
    typealias DispatchStateType = Dispatcher.Feed

    func refresh() async {
      await FeedStore.instantiate().refreshes.perform { effect in
        invoke(.loaded([]), as: effect)
      }
    }
  }

  private enum Feed {
    struct FeedView: View {
      @State private var store = FeedStore.instantiate()
      let action: FeedAction

      var body: some View {
        List {
          ForEach(store.items.value, id: \.self) { Text($0) }
        }
        .task { await action.refresh() }
        .refreshable { await action.refresh() }
      }
    }
  }

  struct CounterPanel: View {
    let store: CounterStore
    let action: Invoker<Dispatcher.Counter>

    var body: some View {
      Text("Count: \(store.count.value)")
      Button("Add one") { action.invoke(.add(1)) }
    }
  }

  extension CounterPanel {
    static func preview(count: Int) -> some View {
      let dispatcher = Dispatcher()
      let store = CounterStore.instantiate(on: dispatcher)
      let action = Invoker<Dispatcher.Counter>(on: dispatcher)
      action.invoke(.add(count))
      return CounterPanel(store: store, action: action)
    }
  }

  struct ProfileView: View {
    @State private var store = ProfileStore.instantiate()
    private let action = Invoker<Dispatcher.Profile>()

    var body: some View {
      TextField("Name", text: store.name.binding { action.invoke(.setName($0)) })
      Toggle("Visible", isOn: store.isVisible.binding { action.invoke(.setVisible($0)) })
    }
  }

  extension Dispatcher {
    enum Profile: DispatchState {
      typealias RelatedStoreType = ProfileStore

      case setName(String)
      case setVisible(Bool)
    }
  }

  final class ProfileStore: Storable {
    var name: Constant<String> { _name.constant }
    var isVisible: Constant<Bool> { _isVisible.constant }
    private let _name = Variable("")
    private let _isVisible = Variable(true)

    func reduce(with state: Dispatcher.Profile) {
      switch state {
      case .setName(let name): _name.value = name
      case .setVisible(let isVisible): _isVisible.value = isVisible
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

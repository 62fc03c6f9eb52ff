import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's views, the recipes for navigation and one-time events, and tests of these recipes. On systems
// without SwiftUI, `.ci/platforms` compiles the views with a substitute for SwiftUI.

enum Destination: Hashable {
  case city(String)
  case settings
}

extension Dispatcher {
  enum Navigation: DispatchState {
    typealias RelatedStoreType = NavigationStore

    case show(Destination)
    case setPath([Destination])
  }
}

final class NavigationStore: Storable {
  var path: Constant<[Destination]> { _path.constant }
  private let _path = Variable<[Destination]>([])

  func reduce(with state: Dispatcher.Navigation) {
    switch state {
    case .show(let destination): _path.value.append(destination)
    case .setPath(let path): _path.value = path
    }
  }
}

extension Dispatcher {
  enum Upload: DispatchState {
    typealias RelatedStoreType = UploadStore

    case finish
    case fail(String)
  }
}

final class UploadStore: Storable {
  var count: Constant<Int> { _count.constant }
  var failures: Signal<String> { _failures.signal }
  private let _count = Variable(0)
  private let _failures = Sink<String>()

  func reduce(with state: Dispatcher.Upload) {
    switch state {
    case .finish: _count.value += 1
    case .fail(let reason): _failures.send(reason)
    }
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  struct TimelineList: View {
    @State private var store = TimelineStore.instantiate()
    let action: TimelineAction

    var body: some View {
      List {
        ForEach(store.items.ids.value, id: \.self) { id in
          Text(store.items.row(id: id).value?.text ?? "")
        }
        if let page = store.nextPage.value {
          if let failure = store.failure.value {
            Button(failure) { Task { await action.load(page) } }
          } else {
            Text("Loading…").task(id: page) { await action.load(page) }
          }
        }
      }
      .refreshable { await action.reload() }
    }
  }

  struct CitySearchView: View {
    @State private var store = CitySearchStore.instantiate()
    @State private var text = ""
    let action: CitySearchAction

    var body: some View {
      TextField("City", text: $text)
        .onChange(of: text) { action.search(text) }
      Text(store.failure.value ?? "")
      List {
        ForEach(store.cities.value, id: \.self) { city in Text(city) }
      }
    }
  }

  struct NoteView: View {
    let pane: NotePane

    var body: some View {
      TextField("Note", text: pane.store.text.binding { pane.action.invoke(.setText($0)) })
      Button("Undo") { pane.action.invoke(.undo) }
        .disabled(!pane.store.canUndo.value)
    }
  }

  struct TwoNotes: View {
    @State private var left = NotePane()
    @State private var right = NotePane()

    var body: some View {
      HStack {
        NoteView(pane: left)
        NoteView(pane: right)
      }
    }
  }

  struct RootView: View {
    @State private var store = NavigationStore.instantiate()
    private let action = Invoker<Dispatcher.Navigation>()

    var body: some View {
      NavigationStack(path: store.path.binding { action.invoke(.setPath($0)) }) {
        Button("Settings") { action.invoke(.show(.settings)) }
          .navigationDestination(for: Destination.self) { destination in
            switch destination {
            case .city(let name): Text(name)
            case .settings: Text("Settings")
            }
          }
      }
    }
  }

  struct UploadView: View {
    @State private var store = UploadStore.instantiate()
    @State private var dustBuster = DustBuster()
    @State private var failure = ""
    @State private var isShowingFailure = false

    var body: some View {
      Text("\(store.count.value) photos")
        .alert(failure, isPresented: $isShowingFailure) { Button("OK") {} }
        .onAppear {
          store.failures
            .observe(on: .main) {
              failure = $0
              isShowingFailure = true
            }
            .cleaned(by: dustBuster)
        }
        .onDisappear { dustBuster.clean() }
    }
  }
#endif

extension CookbookSnippets {
  // MARK: - Failures

  @MainActor
  final class Screen {
    private(set) var failures: [String] = []
    private let store = UploadStore.instantiate()
    private let dustBuster = DustBuster()

    func appear() {
      store.failures
        .observe(on: .main) { [weak self] in self?.failures.append($0) }
        .cleaned(by: dustBuster)
    }

    func disappear() { dustBuster.clean() }
  }

  @Test func screenShowsAFailureOnceAndOnlyWhileTheScreenIsVisible() {
    let screen = Screen()
    let action = Invoker<Dispatcher.Upload>()

    action.invoke(.fail("Too early"))
    screen.appear()
    action.invoke(.fail("In time"))
    screen.disappear()
    action.invoke(.fail("Too late"))
    screen.appear()

    #expect(screen.failures == ["In time"])
  }

  // MARK: - Navigation

  @Test func pathHasTheShownScreensInOrder() {
    let store = NavigationStore.instantiate()
    let action = Invoker<Dispatcher.Navigation>()

    action.invoke(.show(.city("Lima")))
    action.invoke(.show(.settings))
    #expect(store.path.value == [.city("Lima"), .settings])

    action.invoke(.setPath([.city("Lima")]))
    #expect(store.path.value == [.city("Lima")])
  }
}

import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The README's view and test, for its program, which `GettingStartedTests` builds and runs.

extension Dispatcher {
  fileprivate enum Search: DispatchState {
    typealias RelatedStoreType = ReadmeSnippets.SearchStore

    case found([String])
  }
}

private enum ReadmeSnippets {
  final class SearchStore: Storable {
    var results: Constant<[String]> { _results.constant }
    let searches = Effects(.latest)
    private let _results = Variable<[String]>([])

    func reduce(with state: Dispatcher.Search) {
      switch state {
      case .found(let results): _results.value = results
      }
    }
  }

  struct SearchAction: Actionable {
    typealias DispatchStateType = Dispatcher.Search

    let find: @Sendable (_ text: String) async -> [String]

    func search(_ text: String) {
      SearchStore.instantiate().searches.run { effect in
        invoke(.found(await find(text)), as: effect)
      }
    }
  }

  struct Tests {
    @Test(.isolatedDispatcher) func searchShowsWhatTheServiceFinds() async {
      let store = SearchStore.instantiate()
      let action = SearchAction { text in [text + "!"] }

      action.search("Doc")
      await Dispatcher.shared.settled()

      #expect(store.results.value == ["Doc!"])
    }
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  extension ReadmeSnippets {
    struct SearchView: View {
      @State private var store = SearchStore.instantiate()
      @State private var text = ""
      let action: SearchAction

      var body: some View {
        TextField("Name", text: $text)
          .onChange(of: text) { action.search(text) }
        ForEach(store.results.value, id: \.self) { Text($0) }
      }
    }
  }
#endif

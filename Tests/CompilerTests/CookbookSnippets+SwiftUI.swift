import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for one-time events, and a test of this recipe. On systems without SwiftUI,
// `.ci/platforms` compiles this file with a substitute for SwiftUI.
#if canImport(SwiftUI)
  import SwiftUI

  private enum Recipes {
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

  @MainActor
  @Test func screenShowsAFailureOnceAndOnlyWhileTheScreenIsVisible() {
    let screen = Screen()
    let action = UploadAction()

    action.invoke(.fail("Too early"))
    screen.appear()
    action.invoke(.fail("In time"))
    screen.disappear()
    action.invoke(.fail("Too late"))
    screen.appear()

    #expect(screen.failures == ["In time"])
  }
}

// The states and the store of the upload recipe.

extension Dispatcher {
  fileprivate enum Upload: DispatchState {
    typealias RelatedStoreType = UploadStore
    typealias RelatedActionType = UploadAction

    case finish
    case fail(String)
  }
}

private struct UploadAction: Actionable {
  typealias DispatchStateType = Dispatcher.Upload
}

private final class UploadStore: Storable {
  var count: Constant<Int> { _count.constant }
  let failures: Signal<String>
  private let _count = Variable(0)
  private let _failures = Sink<String>()

  init() {
    failures = Signal(_failures)
  }

  func reduce(with state: Dispatcher.Upload) {
    switch state {
    case .finish: _count.value += 1
    case .fail(let reason): _failures.send(reason)
    }
  }
}

import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

// The cookbook's recipe for saving, and a test of this recipe.

extension Dispatcher {
  enum Letter: DispatchState {
    typealias RelatedStoreType = LetterStore

    case setText(String)
  }
}

final class LetterStore: Storable {
  var text: Constant<String> { _text.constant }
  private let _text = Variable("")

  func reduce(with state: Dispatcher.Letter) {
    switch state {
    case .setText(let text): _text.value = text
    }
  }
}

extension LetterStore: Persistable {
  static let archive = Archive(String.self, named: "letter", version: 1)

  var saved: String { _text.value }

  func restore(_ saved: String) { _text.value = saved }
}

private enum Recipes {
  @MainActor
  final class Application {
    let letter: LetterStore
    private let keeper: Keeper
    private let dustBuster = DustBuster()

    init(folder: URL, warn: @escaping @MainActor (String?) -> Void) throws {
      keeper = try Keeper(directory: folder)
      letter = try keeper.open(LetterStore.self)
      keeper.failure.observe(on: .main) { warn($0?.failureReason) }.cleaned(by: dustBuster)
    }

    /// Call this method when an app moves to the background.
    func pause() async throws { try await keeper.flush() }

    /// Call this method before the application ends.
    func stop() async throws { try await keeper.close() }
  }
}

extension CookbookSnippets {
  // MARK: - Saving

  @Test func letterSurvivesTheApplication() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("CookbookSnippets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withDispatcher(Dispatcher()) {
      let application = try Recipes.Application(folder: folder) { _ in }
      Invoker<Dispatcher.Letter>().invoke(.setText("Where we're going"))
      try await application.stop()
    }

    let application = try Recipes.Application(folder: folder) { _ in }

    #expect(application.letter.text.value == "Where we're going")
  }
}

import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

extension Dispatcher {
  enum Draft: DispatchState {
    typealias RelatedStoreType = DraftStore
    typealias RelatedActionType = DraftAction

    case setText(String)
  }
}

final class DraftAction: Actionable {
  typealias DispatchStateType = Dispatcher.Draft
}

/// A store that a keeper saves.
final class DraftStore: Storable {
  let text: Constant<String>
  private let _text = Variable("")

  init() {
    text = Constant(_text)
  }

  func reduce(with state: Dispatcher.Draft) {
    switch state {
    case .setText(let text):
      _text.value = text
    }
  }
}

extension DraftStore: Persistable {
  nonisolated struct Saved: Codable {
    var text: String
  }

  nonisolated struct SavedV1: Codable {
    var lines: [String]
  }

  static let archive = Archive(Saved.self, named: "draft", version: 2)
    .migrating(from: 1, SavedV1.self) { Saved(text: $0.lines.joined(separator: "\n")) }

  var saved: Saved { Saved(text: _text.value) }

  func restore(_ saved: Saved) { _text.value = saved.text }
}

@Suite(.isolatedDispatcher)
struct DraftTests {
  @Test func draftIsRestoredFromItsFile() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("DraftTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let keeper = try Keeper(directory: folder)
    let store = try keeper.open(DraftStore.self)
    DraftAction().invoke(.setText("Roads"))
    try await keeper.close()

    let nextKeeper = try Keeper(directory: folder, dispatcher: Dispatcher())
    let restored = try nextKeeper.open(DraftStore.self)

    #expect(restored.text.value == store.text.value)
  }
}

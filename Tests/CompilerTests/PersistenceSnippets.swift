import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

// Code of the article "Persistence", and of the doc comments of FluxCapacitorPersistence.

extension Dispatcher {
  enum Notes: DispatchState {
    typealias RelatedStoreType = NotesStore

    case add(String)
    case setDraft(String)
  }
}

final class NotesStore: Storable {
  var notes: Constant<[String]> { _notes.constant }
  private let _notes = Variable<[String]>([])
  private let _draft = Variable("")

  func reduce(with state: Dispatcher.Notes) {
    switch state {
    case .add(let note): _notes.value.append(note)
    case .setDraft(let draft): _draft.value = draft
    }
  }
}

extension NotesStore: Persistable {
  struct Saved: Codable {
    var notes: [String]
    var draft: String
  }

  static let archive = Archive(Saved.self, named: "notes", version: 1)

  var saved: Saved { Saved(notes: _notes.value, draft: _draft.value) }

  func restore(_ saved: Saved) {
    _notes.value = saved.notes
    _draft.value = saved.draft
  }
}

@Suite(.isolatedDispatcher)
final class PersistenceSnippets {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("PersistenceSnippets-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func notesSurviveARestart() async throws {
    let keeper = try Keeper(directory: folder)
    let notes = try keeper.open(NotesStore.self)
    Invoker<Dispatcher.Notes>().invoke(.add("Roads"))
    try await keeper.close()

    let nextKeeper = try Keeper(directory: folder, dispatcher: Dispatcher())
    let restored = try nextKeeper.open(NotesStore.self)
    #expect(restored.notes.value == ["Roads"])
    withExtendedLifetime(notes) {}
  }

  @Test func archiveMigratesAnOlderFile() throws {
    try FileManager.default.createDirectory(
      at: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    let file = #"{"format": 1, "version": 1, "saved": {"lines": ["Roads"]}}"#
    try Data(file.utf8).write(to: folder.appendingPathComponent("notes.json"))
    let keeper = try Keeper(directory: folder)

    #expect(try keeper.open(MigratedStore.self).lines.value == ["Roads"])
  }

  @Test func damagedFileIsRecovered() async throws {
    let dispatcher = Dispatcher()
    do {
      let keeper = try Keeper(directory: folder, dispatcher: dispatcher)
      let notes = try keeper.open(NotesStore.self)
      dispatcher.dispatch(Dispatcher.Notes.add("Roads"))
      try await keeper.flush()
      dispatcher.dispatch(Dispatcher.Notes.add("No roads"))
      try await keeper.close()
      withExtendedLifetime(notes) {}
    }
    try Data("damaged".utf8).write(to: folder.appendingPathComponent("notes.json"))
    let keeper = try Keeper(directory: folder)
    let notes = try keeper.open(NotesStore.self) { failure throws(KeeperFailure) in
      switch failure.cause {
      case .damaged, .fileMissing, .refused: return .restorePrevious
      default: throw failure
      }
    }

    #expect(notes.notes.value == ["Roads"])
  }

  @Test func failureIsObserved() async throws {
    let keeper = try Keeper(directory: folder)
    let dust = keeper.failure.observe(on: .main) { failure in
      if let failure { print(failure) }
    }
    dust.clean()
  }

  private func start() async throws {
    let folder = try FileManager.default.url(
      for: .applicationSupportDirectory,
      in: .userDomainMask,
      appropriateFor: nil,
      create: true
    ).appendingPathComponent("Notes")
    let keeper = try Keeper(directory: folder)
    let notes = try keeper.open(NotesStore.self)
    // …
    try await keeper.close()
    withExtendedLifetime(notes) {}
  }

  private func follow() throws {
    let follower = try Keeper(directory: folder, role: .following)
    let notes = try follower.open(NotesStore.self)
    withExtendedLifetime(notes) {}
  }

  private func recover(_ keeper: Keeper) throws {
    let notes = try keeper.open(NotesStore.self) { failure in
      print(failure)
      return .restorePrevious
    }
    withExtendedLifetime(notes) {}
  }
}

extension Dispatcher {
  fileprivate enum Lines: DispatchState {
    typealias RelatedStoreType = MigratedStore
    typealias RelatedActionType = LinesAction
  }
}

private struct LinesAction: Actionable {
  typealias DispatchStateType = Dispatcher.Lines
}

private final class MigratedStore: Persistable {
  struct Saved: Codable {
    var notes: [String]
    var draft: String
  }

  struct SavedV1: Codable {
    var lines: [String]
  }

  static let archive = Archive(Saved.self, named: "notes", version: 2)
    .migrating(from: 1, SavedV1.self) { Saved(notes: $0.lines, draft: "") }

  let lines = Variable<[String]>([])

  var saved: Saved { Saved(notes: lines.value, draft: "") }

  func restore(_ saved: Saved) { lines.value = saved.notes }
  func reduce(with _: Dispatcher.Lines) {}
}

private enum PropertyLists {
  struct PropertyListCoder: ArchiveCoder {
    func encode(_ saved: some Encodable) throws -> Data { try PropertyListEncoder().encode(saved) }

    func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
      try PropertyListDecoder().decode(type, from: data)
    }
  }

  static func archive() -> Archive<[String]> {
    let archive = Archive([String].self, named: "notes", version: 1, coder: PropertyListCoder())
    return archive
  }
}

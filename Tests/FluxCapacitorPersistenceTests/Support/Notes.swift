import FluxCapacitor
import FluxCapacitorPersistence

extension Dispatcher {
  enum Notes: DispatchState {
    typealias RelatedStoreType = NotesStore
    typealias RelatedActionType = NotesAction

    case add(String)
    case setDraft(String)
  }
}

struct NotesAction: Actionable {
  typealias DispatchStateType = Dispatcher.Notes

  let dispatcher: Dispatcher

  init(_ dispatcher: Dispatcher = .shared) { self.dispatcher = dispatcher }

  func add(_ note: String) { invoke(.add(note)) }
}

/// A store with two variables that every reduce of `.add` changes together.
final class NotesStore: Storable {
  var notes: Constant<[String]> { _notes.constant }
  var count: Constant<Int> { _count.constant }
  var draft: Constant<String> { _draft.constant }
  private let _notes = Variable<[String]>([])
  private let _count = Variable(0)
  private let _draft = Variable("")

  func reduce(with state: Dispatcher.Notes) {
    switch state {
    case .add(let note):
      _notes.value.append(note)
      _count.value += 1
    case .setDraft(let draft): _draft.value = draft
    }
  }

  /// Changes a variable outside of a reduce.
  func changeDraftDirectly(_ draft: String) { _draft.value = draft }
}

extension NotesStore: Persistable {
  struct Saved: Codable, Equatable {
    var notes: [String]
    var count: Int
    var draft: String

    /// Whether the notes and their count come from the same reduce.
    var isWhole: Bool { notes.count == count }
  }

  /// The notes without a draft.
  struct SavedV1: Codable {
    var lines: [String]
  }

  static let archive = Archive(Saved.self, named: "notes", version: 2)
    .migrating(from: 1, SavedV1.self) { old in
      if old.lines.contains("unmigratable") { throw UnmigratableLine() }
      return Saved(notes: old.lines, count: old.lines.count, draft: "")
    }

  struct UnmigratableLine: Error {}

  var saved: Saved { Saved(notes: _notes.value, count: _count.value, draft: _draft.value) }

  func restore(_ saved: Saved) {
    _notes.value = saved.notes
    _count.value = saved.count
    _draft.value = saved.draft
  }
}

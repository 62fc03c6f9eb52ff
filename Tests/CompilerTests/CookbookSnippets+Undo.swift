import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipe for undo, and tests of this recipe.

private enum Recipes {
  final class NotesStore: Storable {
    var notes: Constant<[Int: String]> { _notes.constant }
    var searchText: Constant<String> { _searchText.constant }
    var confirmed: Constant<Set<Int>> { _confirmed.constant }
    let canUndo: Constant<Bool>
    private let _notes = Variable<[Int: String]>([:])
    private let _searchText = Variable("")
    private let _confirmed = Variable<Set<Int>>([])
    private let undoable = Variable<[NoteEdit]>([])
    private let redoable = Variable<[NoteEdit]>([])

    init() {
      canUndo = undoable.map { !$0.isEmpty }.removeDuplicates()
    }

    func reduce(with state: Dispatcher.Notes) {
      switch state {
      case .write(let text, let id):
        undoable.value.append(NoteEdit(id: id, old: _notes.value[id], new: text))
        redoable.value = []
        _notes.value[id] = text
      case .undo:
        guard let edit = undoable.modify({ $0.popLast() }) else { return }
        _notes.value[edit.id] = edit.old
        redoable.value.append(edit)
      case .redo:
        guard let edit = redoable.modify({ $0.popLast() }) else { return }
        _notes.value[edit.id] = edit.new
        undoable.value.append(edit)
      case .search(let text):
        _searchText.value = text
      case .confirm(let id):
        _confirmed.value.insert(id)
      }
    }
  }
}

extension CookbookSnippets {
  // MARK: - Undo

  @Test func undoRevertsTheLastEditButNotSearchesAndConfirmations() {
    let store = Recipes.NotesStore.instantiate()
    let action = NotesAction()

    action.invoke(.write("Buy milk", id: 1))
    action.invoke(.write("Buy plutonium", id: 1))
    action.invoke(.search("Buy"))
    action.invoke(.confirm(1))
    action.invoke(.undo)

    #expect(store.notes.value == [1: "Buy milk"])
    #expect(store.searchText.value == "Buy")
    #expect(store.confirmed.value == [1])

    action.invoke(.undo)
    action.invoke(.undo)
    #expect(store.notes.value.isEmpty)
    #expect(!store.canUndo.value)
  }

  @Test func newEditRemovesTheEditsThatRedoWouldRepeat() {
    let store = Recipes.NotesStore.instantiate()
    let action = NotesAction()

    action.invoke(.write("One", id: 1))
    action.invoke(.write("Two", id: 2))
    action.invoke(.undo)
    action.invoke(.redo)
    #expect(store.notes.value == [1: "One", 2: "Two"])

    action.invoke(.undo)
    action.invoke(.write("Three", id: 3))
    action.invoke(.redo)
    #expect(store.notes.value == [1: "One", 3: "Three"])
  }
}

// The states and the action of the recipe's store.

private struct NoteEdit {
  let id: Int
  let old: String?
  let new: String
}

extension Dispatcher {
  fileprivate enum Notes: DispatchState {
    typealias RelatedStoreType = Recipes.NotesStore
    typealias RelatedActionType = NotesAction

    case write(String, id: Int)
    case undo
    case redo
    case search(String)
    case confirm(Int)
  }
}

private struct NotesAction: Actionable {
  typealias DispatchStateType = Dispatcher.Notes
}

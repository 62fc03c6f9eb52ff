import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import Testing

// The cookbook's recipes for editing data, and tests of these recipes.

struct SignUpForm: Equatable {
  var name = ""
  var email = ""
}

extension Dispatcher {
  enum SignUp: DispatchState {
    typealias RelatedStoreType = SignUpStore
    typealias RelatedActionType = SignUpAction

    case set(WritableKeyPath<SignUpForm, String> & Sendable, to: String)
    case reject(SignUpForm, String)
    case accept(SignUpForm)
  }
}

final class SignUpStore: Storable {
  let effects = Effects(.first)
  var form: Constant<SignUpForm> { _form.constant }
  var rejection: Constant<String?> { _rejection.constant }
  let isComplete: Constant<Bool>
  private let _form = Variable(SignUpForm())
  private let _rejection = Variable<String?>(nil)

  init() {
    isComplete = _form.map { !$0.name.isEmpty && $0.email.contains("@") }.removeDuplicates()
  }

  func reduce(with state: Dispatcher.SignUp) {
    _rejection.value = nil
    switch state {
    case .set(let field, let text): _form.value[keyPath: field] = text
    case .reject(let sent, let reason): if _form.value == sent { _rejection.value = reason }
    case .accept(let sent): if _form.value == sent { _form.value = SignUpForm() }
    }
  }
}

struct SignUpAction: Actionable {
  typealias DispatchStateType = Dispatcher.SignUp

  let send: @Sendable (SignUpForm) async throws -> Void
  private var effects: Effects { SignUpStore.instantiate().effects }

  func submit(_ form: SignUpForm) {
    effects.run { effect in
      do {
        try await send(form)
        invoke(.accept(form), as: effect)
      } catch {
        invoke(.reject(form, String(explaining: error)), as: effect)
      }
    }
  }
}

struct TitleEdit: Identifiable {
  let id = UUID()
  let title: String
}

extension Dispatcher {
  enum Title: DispatchState {
    typealias RelatedStoreType = TitleStore
    typealias RelatedActionType = TitleAction

    case begin(TitleEdit)
    case confirm(TitleEdit)
    case reject(TitleEdit)
  }
}

final class TitleStore: Storable {
  let effects = Effects(.serial)
  let title: Constant<String>
  private let saved = Variable("Untitled")
  private let edits = Variable<[TitleEdit]>([])

  init() {
    title = Constant.combine(saved, edits).map { $1.last?.title ?? $0 }
  }

  func reduce(with state: Dispatcher.Title) {
    switch state {
    case .begin(let edit):
      edits.value.append(edit)
    case .confirm(let edit):
      saved.value = edit.title
      edits.value.removeAll { $0.id == edit.id }
    case .reject(let edit):
      edits.value.removeAll { $0.id == edit.id }
    }
  }
}

struct TitleAction: Actionable {
  typealias DispatchStateType = Dispatcher.Title

  let save: @Sendable (_ title: String) async throws -> Void
  private var effects: Effects { TitleStore.instantiate().effects }

  func rename(_ title: String) {
    let edit = TitleEdit(title: title)
    invoke(.begin(edit))
    effects.run { effect in
      do {
        try await save(title)
        invoke(.confirm(edit), as: effect)
      } catch {
        invoke(.reject(edit), as: effect)
      }
    }
  }
}

extension Dispatcher {
  enum Note: DispatchState {
    typealias RelatedStoreType = NoteStore

    case setText(String)
    case undo
    case redo
  }
}

final class NoteStore: Storable {
  var text: Constant<String> { _text.constant }
  let canUndo: Constant<Bool>
  let canRedo: Constant<Bool>
  private let _text = Variable("")
  private let undoable = Variable<[String]>([])
  private let redoable = Variable<[String]>([])

  init() {
    canUndo = undoable.map { !$0.isEmpty }.removeDuplicates()
    canRedo = redoable.map { !$0.isEmpty }.removeDuplicates()
  }

  func reduce(with state: Dispatcher.Note) {
    switch state {
    case .setText(let text):
      undoable.value = undoable.value.suffix(99) + [_text.value]
      redoable.value = []
      _text.value = text
    case .undo:
      guard let text = undoable.modify({ $0.popLast() }) else { return }
      redoable.value.append(_text.value)
      _text.value = text
    case .redo:
      guard let text = redoable.modify({ $0.popLast() }) else { return }
      undoable.value.append(_text.value)
      _text.value = text
    }
  }
}

/// A note with a store of its own.
final class NotePane: Sendable {
  let store: NoteStore
  let action: Invoker<Dispatcher.Note>

  init() {
    let dispatcher = Dispatcher()
    store = NoteStore.instantiate(on: dispatcher)
    action = Invoker(on: dispatcher)
  }
}

extension CookbookSnippets {
  // MARK: - Form

  @Test func signUpFormIsCompleteAfterANameAndAnEmailAreSet() {
    let tester = StoreTester(SignUpStore.self)

    tester.invoke(.set(\.name, to: "Marty")) {
      Change(\.form, to: SignUpForm(name: "Marty"))
    }
    tester.invoke(.set(\.email, to: "marty@hillvalley.example")) {
      Change(\.form, to: SignUpForm(name: "Marty", email: "marty@hillvalley.example"))
      Change(\.isComplete, to: true)
    }
  }

  @Test func doubleTapSubmitsTheFormOnce() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = SignUpStore.instantiate()
    let requests = Variable(0)
    let action = SignUpAction { _ in
      requests.value += 1
      await gate.pass()
      throw Failure()
    }

    action.invoke(.set(\.name, to: "Marty"))
    action.submit(store.form.value)
    action.submit(store.form.value)
    gate.open()
    await Dispatcher.shared.settled()

    #expect(requests.value == 1)
    #expect(store.rejection.value == "That didn’t work. Please try again.")
    #expect(store.form.value.name == "Marty")

    action.invoke(.set(\.name, to: "Emmett"))
    #expect(store.rejection.value == nil)
  }

  @Test func rejectionOfAnOlderFormIsNotShownBesideANewerOne() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = SignUpStore.instantiate()
    let action = SignUpAction { _ in
      await gate.pass()
      throw Failure()
    }
    action.invoke(.set(\.email, to: "taken@example.com"))
    action.submit(store.form.value)
    await gate.reached()
    action.invoke(.set(\.email, to: "free@example.com"))
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.rejection.value == nil)
  }

  @Test func acceptedFormIsReplacedByAnEmptyForm() async {
    let store = SignUpStore.instantiate()
    let action = SignUpAction { _ in }

    action.invoke(.set(\.name, to: "Marty"))
    action.invoke(.reject(store.form.value, "Not now"))
    action.submit(store.form.value)
    await Dispatcher.shared.settled()

    #expect(store.form.value == SignUpForm())
    #expect(store.rejection.value == nil)
  }

  @Test func acceptedFormKeepsTheTextOfLaterInputs() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = SignUpStore.instantiate()
    let action = SignUpAction { _ in await gate.pass() }

    action.invoke(.set(\.name, to: "Marty"))
    action.submit(store.form.value)
    await gate.reached()
    action.invoke(.set(\.name, to: "Emmett"))
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.form.value == SignUpForm(name: "Emmett"))
  }

  // MARK: - Title

  @Test func newTitleIsShownBeforeTheTitleIsSaved() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = TitleStore.instantiate()
    let action = TitleAction { _ in await gate.pass() }

    action.rename("New")
    #expect(store.title.value == "New")
    gate.open()
    await Dispatcher.shared.settled()

    #expect(store.title.value == "New")
  }

  @Test func rejectedTitleIsReplacedByTheSavedTitle() async {
    let store = TitleStore.instantiate()
    let action = TitleAction { title in
      if title == "Rejected" { throw Failure() }
    }

    action.rename("Saved")
    await Dispatcher.shared.settled()
    action.rename("Rejected")
    #expect(store.title.value == "Rejected")
    await Dispatcher.shared.settled()

    #expect(store.title.value == "Saved")
  }

  @Test func rejectedTitleDoesNotReplaceANewerTitle() async {
    let gate = FluxCapacitorTesting.Gate()
    let store = TitleStore.instantiate()
    let saved = Variable<[String]>([])
    let action = TitleAction { title in
      await gate.pass()
      if title == "Rejected" { throw Failure() }
      saved.value.append(title)
    }
    let titles = ValueRecorder(store.title.removeDuplicates())

    for title in ["First", "Rejected", "Last"] { action.rename(title) }
    gate.open()
    await Dispatcher.shared.settled()

    #expect(titles.values == ["Untitled", "First", "Rejected", "Last"])
    #expect(saved.value == ["First", "Last"])
  }

  // MARK: - Undo

  @Test func undoAndRedoRestoreTheTextsInOrder() {
    let store = NoteStore.instantiate()
    let action = Invoker<Dispatcher.Note>()
    let texts = ValueRecorder(store.text)

    for state: Dispatcher.Note in [.setText("a"), .setText("b"), .undo, .undo, .undo, .redo] {
      action.invoke(state)
    }
    #expect(texts.values == ["", "a", "b", "a", "", "a"])
    #expect(store.canUndo.value)
    #expect(store.canRedo.value)

    action.invoke(.setText("c"))
    #expect(!store.canRedo.value)
  }

  @Test func twoPanesShowTwoNotes() {
    let (left, right) = (NotePane(), NotePane())

    left.action.invoke(.setText("Roads?"))

    #expect(left.store.text.value == "Roads?")
    #expect(right.store.text.value == "")
    #expect(!right.store.canUndo.value)
  }
}

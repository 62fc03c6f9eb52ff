import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Variables that a tester could confuse with each other, or overlook.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct StoreTesterNamesTests {
  @Test func keyPathRefersToTheInheritedVariableOfTheSameName() async {
    let tester = StoreTester(SubStore.self)

    let failure = await failure { tester.invoke(.set(2)) { Change(\.count, to: 2) } }

    #expect(failure.contains("✗ count: was expected to change to 2, but did not"))
    #expect(failure.contains("✗ count: 0 → 2, which was not expected"))
    tester.invoke(.set(3)) { Change(\.ownCount, to: 3) }
    tester.invoke(.setBoth(4)) {
      Change(\.count, to: 4)
      Change(\.ownCount, to: 4)
    }
  }

  @Test func nameOfTwoVariablesIsRefusedWithASentence() async {
    let sentences = [
      await failure {
        StoreTester(SubStore.self).invoke(.set(2)) { Change.named("_count", to: 2) }
      },
      await failure {
        StoreTester(LabelStore.self).invoke(.mark) { Change.named("marks[1]", to: 1) }
      },
      await failure {
        StoreTester(LockerStore.self).invoke(.open) { Change.named("lockers[•••]", to: 1) }
      },
    ]

    #expect(sentences[0].hasPrefix("SubStore has several variables with the name count."))
    #expect(sentences[1].hasPrefix("LabelStore has several variables with the name marks[1]."))
    #expect(sentences[2].hasPrefix("LockerStore has several variables with the name lockers[•••]."))
  }

  @Test func keyWhoseDescriptionShowsASecretIsNamedByItsType() async {
    let failure = await failure { StoreTester(DoorStore.self).invoke(.open) }

    #expect(failure.contains("✗ doors[Door]: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ gates[•••]: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ lids[AnyHashable]: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ owners[•••]: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ safes[Safe]: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ rooms[kitchen]: 0 → 1, which was not expected"))
    #expect(!failure.contains("sesame"))
  }

  @Test func keyWithPartsThatNoMirrorShowsIsNamedByItsType() async {
    let failure = await failure { StoreTester(VaultStore.self).invoke(.open) }

    let names = failure.matches(of: /✗ vaults\[AnyHashable\]: 0 → 1/)
    #expect(names.count == VaultStore.keyCount)
    #expect(!failure.contains("sesame"))
  }

  @Test(arguments: [
    "rooms[a]", "rooms[1..<3]", "rooms[[1]]", "rooms[north]", "rooms[room 1]",
    "rooms[Pair(first: 1, second: Set([2]))]", "ids[\(UUID.ofMona)]",
  ])
  func keyOfPlainPartsIsNamedByItsDescription(name: String) async {
    let failure = await failure { StoreTester(RoomStore.self).invoke(.open) }

    #expect(failure.contains("✗ \(name): 0 → 1, which was not expected"))
  }

  @Test(arguments: ["form.password", "hidden.entry", "choice.entry"])
  func variableThatTheMirrorOfAPropertyHidesIsObserved(name: String) async {
    let failure = await failure { StoreTester(FormStore.self).invoke(.fill) }

    #expect(failure.contains("✗ \(name): 0 → 1, which was not expected"))
  }

  @Test(arguments: ["list[1]", "slice[1]", "slots[1].content", "tuples[1].1"])
  func variableInACollectionOfMixedElementsIsObserved(name: String) async {
    let failure = await failure { StoreTester(MixedStore.self).invoke(.fill) }

    #expect(failure.contains("✗ \(name): 0 → 1, which was not expected"))
  }

  @Test func mirrorOfAStoreHidesNoVariable() async {
    let tester = StoreTester(ShyStore.self)

    let failure = await failure { tester.invoke(.increment) }

    #expect(failure.contains("✗ count: 0 → 1, which was not expected"))
    #expect(failure.contains("✗ panel.light: false → true, which was not expected"))
  }
}

private enum Sub: DispatchState {
  typealias RelatedStoreType = SubStore

  case set(Int)
  case setBoth(Int)
}

private class BaseStore: @unchecked Sendable {
  var count: Constant<Int> { _count.constant }
  private let _count = Variable(0)

  func set(_ count: Int) { _count.value = count }
}

private final class SubStore: BaseStore, Storable, @unchecked Sendable {
  typealias DispatchStateType = Sub

  var ownCount: Constant<Int> { _count.constant }
  private let _count = Variable(0)

  required override init() {}

  func reduce(with state: Sub) {
    switch state {
    case .set(let count): _count.value = count
    case .setBoth(let count):
      set(count)
      _count.value = count
    }
  }
}

private enum Label: DispatchState {
  typealias RelatedStoreType = LabelStore

  case mark
}

private final class LabelStore: Storable {
  enum Key: Hashable, CustomStringConvertible {
    case number(Int)
    case text(String)

    var description: String {
      switch self {
      case .number(let number): "\(number)"
      case .text(let text): text
      }
    }
  }

  private let marks: [Key: Variable<Int>] = [.number(1): Variable(0), .text("1"): Variable(0)]

  func reduce(with _: Label) { marks[.text("1")]?.value = 1 }
}

private enum Locker: DispatchState {
  typealias RelatedStoreType = LockerStore

  case open
}

private struct Code: Secret, Hashable {
  let text: String
}

private final class LockerStore: Storable {
  private let lockers = [Code(text: "a"): Variable(0), Code(text: "b"): Variable(0)]

  func reduce(with _: Locker) { lockers[Code(text: "b")]?.value = 1 }
}

private enum Doors: DispatchState {
  typealias RelatedStoreType = DoorStore

  case open
}

private final class DoorStore: Storable {
  struct Door: Hashable, CustomStringConvertible {
    let code: Code
    var description: String { code.text }
  }

  /// A key whose mirror doesn't show the code.
  struct Gate: Hashable, CustomStringConvertible, CustomReflectable {
    let code: Code
    var description: String { code.text }
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  struct Owner: Secret, Hashable {
    let description: String
  }

  struct Safe: Hashable {
    let owner: Owner
  }

  struct Room: Hashable, CustomStringConvertible {
    let description: String
  }

  private let doors = [Door(code: Code(text: "sesame")): Variable(0)]
  private let gates = [Gate(code: Code(text: "sesame")): Variable(0)]
  nonisolated(unsafe) private let lids: [AnyHashable: Variable<Int>] = [
    Gate(code: Code(text: "sesame")): Variable(0)
  ]
  private let owners = [Owner(description: "sesame"): Variable(0)]
  private let safes = [Safe(owner: Owner(description: "sesame")): Variable(0)]
  private let rooms = [Room(description: "kitchen"): Variable(0)]

  func reduce(with _: Doors) {
    for door in doors.values { door.value = 1 }
    for gate in gates.values { gate.value = 1 }
    for lid in lids.values { lid.value = 1 }
    for owner in owners.values { owner.value = 1 }
    for safe in safes.values { safe.value = 1 }
    for room in rooms.values { room.value = 1 }
  }
}

private enum Vaults: DispatchState {
  typealias RelatedStoreType = VaultStore

  case open
}

private final class VaultStore: Storable {
  /// A key whose description reads a content that no mirror shows.
  struct Vault<Content>: Hashable, CustomStringConvertible {
    let content: Content
    let description: String

    init(_ content: Content, _ text: (Content) -> String) {
      self.content = content
      description = text(content)
    }

    static func == (first: Vault, second: Vault) -> Bool { first.description == second.description }
    func hash(into hasher: inout Hasher) { hasher.combine(description) }
  }

  /// A key whose mirror reads an object, and which has no description of its own.
  struct Cellar: Hashable, CustomReflectable {
    final class Door: Sendable {
      let code = Code(text: "sesame")
    }

    let door = Door()
    var customMirror: Mirror {
      Mirror(self, children: ["code": door.code.text], displayStyle: .struct)
    }

    static func == (_: Cellar, _: Cellar) -> Bool { true }
    func hash(into _: inout Hasher) {}
  }

  nonisolated(unsafe) private static let keys: [AnyHashable] = {
    let code = Code(text: "sesame")
    return [
      Cellar(),
      Vault([1: code].values) { "1\($0.first?.text ?? "")" },
      Vault([code: 1].keys) { "2\($0.first?.text ?? "")" },
      Vault(AnySequence([code])) { "3\($0.first { _ in true }?.text ?? "")" },
      Vault([code].lazy.map(\.text)) { "4\($0.first ?? "")" },
      Vault({ code }) { "5\($0().text)" },
      Vault(ManagedBuffer<Code, Int>.create(minimumCapacity: 0) { _ in code }) {
        "6\($0.header.text)"
      },
    ]
  }()
  static var keyCount: Int { keys.count }

  nonisolated(unsafe) private let vaults = Dictionary(
    uniqueKeysWithValues: keys.map { ($0, Variable(0)) }
  )

  func reduce(with _: Vaults) {
    for vault in vaults.values { vault.value = 1 }
  }
}

extension UUID {
  fileprivate static let ofMona = UUID()
}

private enum Rooms: DispatchState {
  typealias RelatedStoreType = RoomStore

  case open
}

private final class RoomStore: Storable {
  struct Pair: Hashable {
    let first: Int
    let second: Set<Int>
  }

  enum Way: Hashable {
    case north
  }

  struct Room: Hashable, CustomStringConvertible {
    let id: UUID?
    let number: Int
    var description: String { "room \(number)" }
  }

  nonisolated(unsafe) private let rooms: [AnyHashable: Variable<Int>] = [
    "a" as Character: Variable(0), 1..<3: Variable(0), [1]: Variable(0), Way.north: Variable(0),
    Room(id: .ofMona, number: 1): Variable(0), Pair(first: 1, second: [2]): Variable(0),
  ]
  private let ids = [UUID.ofMona: Variable(0)]

  func reduce(with _: Rooms) {
    for room in rooms.values { room.value = 1 }
    for id in ids.values { id.value = 1 }
  }
}

private enum Shy: DispatchState {
  typealias RelatedStoreType = ShyStore

  case increment
}

/// A store whose mirrors would run during a turn.
private final class ShyStore: Storable, CustomReflectable {
  struct Panel: CustomReflectable {
    let light = Variable(false)
    var customMirror: Mirror { unusedMirror(of: self) }
  }

  private let count = Variable(0)
  private let panel = Panel()

  var customMirror: Mirror { unusedMirror(of: self) }

  func reduce(with _: Shy) {
    count.value += 1
    panel.light.value = true
  }
}

private func unusedMirror(of subject: Any) -> Mirror {
  Issue.record("The search for variables runs the mirror of a \(type(of: subject)).")
  return Mirror(subject, children: [])
}

private enum Fill: DispatchState {
  typealias RelatedStoreType = FormStore

  case fill
}

private final class FormStore: Storable {
  struct Form: CustomReflectable {
    let password = Variable(0)
    var customMirror: Mirror { Mirror(self, children: ["text": ""], displayStyle: .struct) }
  }

  struct Hidden: CustomReflectable {
    let entry = Variable(0)
    var customMirror: Mirror { Mirror(reflecting: 0) }
  }

  enum Choice: CustomReflectable {
    case entry(Variable<Int>)
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  private let form = Form()
  private let hidden = Hidden()
  private let choice = Choice.entry(Variable(0))

  func reduce(with _: Fill) {
    form.password.value = 1
    hidden.entry.value = 1
    if case .entry(let entry) = choice { entry.value = 1 }
  }
}

private enum Mixing: DispatchState {
  typealias RelatedStoreType = MixedStore

  case fill
}

private final class MixedStore: Storable {
  struct Slot {
    let content: any Sendable
  }

  private let list: ContiguousArray<any Sendable> = [0, Variable(0)]
  private let slice: ArraySlice<any Sendable> = [0, Variable(0)]
  private let slots = [Slot(content: 0), Slot(content: Variable(0))]
  private let tuples: [(Int, any Sendable)] = [(0, 0), (0, Variable(0))]

  func reduce(with _: Mixing) {
    let contents = [list[1], slice[1], slots[1].content, tuples[1].1]
    for content in contents { (content as? Variable<Int>)?.value = 1 }
  }
}

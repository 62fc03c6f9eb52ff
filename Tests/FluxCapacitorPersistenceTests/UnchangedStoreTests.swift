import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Synchronization
import Testing

/// A keeper writes a store only if the store has changed, although a value can be encoded as different bytes.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct UnchangedStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Saves two generations.
  private func saveTwice() async throws {
    let dispatcher = Dispatcher()
    let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
    let store = try keeper.open(TagStore.self)
    dispatcher.dispatch(Tags.add("first"))
    try await keeper.flush()
    dispatcher.dispatch(Tags.add("second"))
    try await keeper.close()
    withExtendedLifetime(store) {}
  }

  /// Returns a keeper that saves to a storage, or to the folder if there is none.
  private func keeper(on dispatcher: Dispatcher, in storage: MemoryStorage?) throws -> Keeper {
    guard let storage else {
      return try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
    }
    return Keeper(storage: storage, dispatcher: dispatcher, clock: ManualClock())
  }

  @Test func launchWithoutChangesLeavesBothGenerations() async throws {
    try await saveTwice()
    let before = try folder.contents

    for _ in 0..<2 {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
      let store = try keeper.open(TagStore.self)
      dispatcher.transaction {}
      try await keeper.flush()
      try await keeper.close()
      #expect(store.tags.value == ["first", "second"])
    }

    #expect(before.keys.sorted() == ["tags.json", "tags.previous"])
    #expect(try folder.contents == before)
  }

  /// The keeper can't tell whether a property that isn't a variable has changed, so it compares the values.
  @Test(arguments: [false, true])
  func launchWithoutChangesSavesNoSetInAnotherOrder(isInStorage: Bool) async throws {
    let storage = MemoryStorage()
    var contents: [[String: Data]] = []
    for tag in ["first", "second", nil, nil] {
      let dispatcher = Dispatcher()
      let keeper = try keeper(on: dispatcher, in: isInStorage ? storage : nil)
      let store = try await keeper.load(HashtagStore.self)
      if let tag { dispatcher.dispatch(Hashtags.add(tag)) }
      try await keeper.close()
      contents.append(isInStorage ? storage.contents : try folder.contents)
      withExtendedLifetime(store) {}
    }

    #expect(contents[1] != contents[0])
    #expect(contents[2] == contents[1])
    #expect(contents[3] == contents[1])
  }

  @Test func ignoredTravelOfAnotherStoreKeepsNoValue() async throws {
    let (circuits, clock) = (TimeCircuits(), ManualClock())
    let keeper = try Keeper(directory: folder.url, clock: clock, savesTimeTravel: false)
    let store = try keeper.open(TagStore.self)
    let counter = CounterStore.instantiate()
    for tag in ["first", "second"] { Dispatcher.shared.dispatch(Tags.add(tag)) }
    Dispatcher.shared.dispatch(Dispatcher.Counter.add(1))
    await clock.sleeping()
    try await keeper.flush()

    circuits.undo()
    Dispatcher.shared.transaction { store.removeAllDirectly() }
    #expect(await clock.sleeping() == [.milliseconds(500)])
    try await keeper.flush()

    #expect(counter.count.value == 0)
    #expect(keeper.saved(TagStore.self).value.tags.isEmpty)
  }

  @Test func changeOfANonVariablePropertyIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(PlaceStore.self)
    Invoker<Places>().invoke(.visit)
    try await keeper.flush()

    Dispatcher.shared.transaction { store.place.withLock { $0 = "Hill Valley" } }
    try await keeper.flush()
    #expect(try folder.text(of: "places.json").contains("Hill Valley"))
    store.place.withLock { $0 = "Mill Valley" }
    try await keeper.close()
    #expect(try folder.text(of: "places.json").contains("Mill Valley"))
  }

  @Test func transactionWithoutChangesAfterASaveWritesNothing() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(TagStore.self)
    for tag in ["first", "second"] { Dispatcher.shared.dispatch(Tags.add(tag)) }
    try await keeper.flush()
    let before = try folder.contents

    Dispatcher.shared.transaction {}
    try await keeper.flush()

    #expect(try folder.contents == before)
    withExtendedLifetime(store) {}
  }

  @Test func transactionWithoutChangesReadsNothing() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(ReadStore.self)
    let reads = ReadStore.reads.load(ordering: .relaxed)

    Dispatcher.shared.transaction {}
    try await keeper.flush()

    #expect(ReadStore.reads.load(ordering: .relaxed) == reads)
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [false, true])
  func launchWithoutChangesLeavesTheFileOfAStoreWithOtherProperties(isRecovered: Bool) async throws
  {
    let old = #"{"format": 1, "version": 1, "saved": {"visits": 1, "places": ["b", "a"]}}"#
    if isRecovered { try folder.write("damaged", to: "places.json") }
    try folder.write(old, to: isRecovered ? "places.previous" : "places.json")
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(PlaceStore.self) { _ in .restorePrevious }

    try await keeper.close()

    #expect(try folder.text(of: "places.json") == old)
    withExtendedLifetime(store) {}
  }

  /// A set of many elements is encoded in the order of its hashes, which differs from the order in the file.
  @Test func launchWithoutChangesLeavesTheFileOfAValueThatIsNotEquatable() async throws {
    let names = (0..<40).map { #""name \#($0)""# }.joined(separator: ", ")
    try folder.write(
      #"{"format": 1, "version": 1, "saved": {"names": [\#(names)]}}"#,
      to: "names.json"
    )
    let before = try folder.contents
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(NameStore.self)

    try await keeper.flush()
    Dispatcher.shared.dispatch(Names.leaveAlone)
    try await keeper.close()

    #expect(try folder.contents == before)
    withExtendedLifetime(store) {}
  }

  @Test func followerOfTheSameValueInAnotherLayoutRestoresNothing() async throws {
    let file = "notecard.json"
    try folder.write(#"{"format":1,"version":1,"saved":{"id":1,"text":"a"}}"#, to: file)
    let follower = try Keeper(directory: folder.url, role: .following)
    let followed = try follower.open(CardStore.self)
    let texts = Log<String>()
    let dust = followed.card.observe(ignoreFirst: true) { texts.append($0.text) }

    try folder.write(#"{"format": 1, "version": 1, "saved": {"text": "a", "id": 1}}"#, to: file)
    try await follower.flush()
    #expect(texts.entries == [])
    // The values are equal, but not the same.
    try folder.write(#"{"format": 1, "version": 1, "saved": {"text": "b", "id": 1}}"#, to: file)
    try await follower.flush()
    #expect(texts.entries == ["b"])
    #expect(follower.saved(CardStore.self).value.text == "b")
    dust.clean()
  }

  @Test func equalValueThatAnotherKeeperHasSavedIsReplaced() async throws {
    let storage = MemoryStorage()
    let dispatchers = [Dispatcher(), Dispatcher()]
    let keepers = dispatchers.map { dispatcher in
      Keeper(storage: storage, dispatcher: dispatcher, clock: ManualClock())
    }
    func save(_ text: String, at index: Int) async throws {
      let store = try await keepers[index].load(CardStore.self)
      #expect(keepers[index].saved(CardStore.self).value.text == store.card.value.text)
      dispatchers[index].dispatch(Cards.setText(text))
      try await keepers[index].flush()
      #expect(keepers[index].saved(CardStore.self).value.text == text)
      let contents = try #require(storage.contents["notecard.json"])
      #expect(try CardStore.archive.value(in: Envelope(contents)).text == text)
      withExtendedLifetime(store) {}
    }
    for (text, index) in [("one", 0), ("two", 1), ("one", 0)] { try await save(text, at: index) }
  }

  /// A store that replaces a missing value has changed, so its value is saved although it hasn't reduced a state.
  @Test func valueThatAStoreRestoresDifferentlyIsSaved() async throws {
    try folder.write(#"{"format":1,"version":1,"saved":{}}"#, to: "device.json")
    var ids: [UUID?] = []
    for launch in 1...2 {
      let (dispatcher, clock) = (Dispatcher(), ManualClock())
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: clock)
      var store: DeviceStore? = try keeper.open(DeviceStore.self)
      let id = store?.id.value
      ids.append(id)
      store = nil
      let saved = keeper.saved(DeviceStore.self)
      if launch == 1 {
        #expect(saved.value.id == nil)
        await clock.sleeping()
        await clock.advance(by: .milliseconds(500))
        for await value in saved.values where value.id != nil { break }
      }
      #expect(saved.value.id == id)
      try await keeper.close()
    }
    #expect(ids[0] == ids[1])
  }

  /// Each time, a value is decoded with another new id.
  @Test(arguments: [false, true])
  func idThatDecodingMakesIsSaved(isInStorage: Bool) async throws {
    let (contents, storage) = (#"{"format":1,"version":1,"saved":{"number":5}}"#, MemoryStorage())
    try folder.write(contents, to: "label.json")
    _ = try await storage.write([
      .init(name: "label.json", contents: Data(contents.utf8), replacing: nil)
    ])
    var ids: [UUID?] = []
    for _ in 1...2 {
      let dispatcher = Dispatcher()
      let keeper = try keeper(on: dispatcher, in: isInStorage ? storage : nil)
      let store = try await keeper.load(LabelStore.self)
      ids.append(store.label.value?.id)
      try await keeper.flush()
      try await keeper.close()
    }
    #expect(ids[0] != nil && ids[0] == ids[1])
  }

  /// The new value has the same bytes in another order, and `==` compares only ids.
  @Test(arguments: [false, true])
  func firstChangeAfterALaunchIsSavedWhicheverBytesItHas(isInStorage: Bool) async throws {
    let storage = MemoryStorage()
    for (old, new) in [([1, 2], [21, 3]), ([21, 3], [12, 3]), ([12, 3], [3, 12])] {
      let dispatcher = Dispatcher()
      let keeper = try keeper(on: dispatcher, in: isInStorage ? storage : nil)
      let store = try await keeper.load(PlayerStore.self)
      #expect(store.players.value.map(\.rank) == old)
      dispatcher.dispatch(Players.rank(new))
      try await keeper.close()
    }
  }

  /// Only the archive's own coder encodes what has changed.
  @Test func firstChangeThatOnlyTheArchivesCoderSeesIsSaved() async throws {
    for (old, new) in [("", "one"), ("one", "two")] {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
      let store = try keeper.open(DiaryStore.self)
      #expect(store.entry.value.text == old)
      dispatcher.dispatch(Diaries.write(new))
      try await keeper.close()
    }
  }

  /// The parts are encoded as the same bytes.
  @Test func firstChangeThatOnlyTheWholeEncodesIsSaved() async throws {
    for (old, new) in [(12, 21), (21, 12)] {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
      let store = try keeper.open(ScoreStore.self)
      #expect(store.score.value.points.number == old)
      dispatcher.dispatch(Scores.set(new))
      try await keeper.close()
    }
  }

  /// The keeper has read the object that the reduce changes.
  @Test func firstChangeInsideAnObjectIsSaved() async throws {
    for (old, new) in [("", "one"), ("one", "two"), ("two", "three")] {
      let dispatcher = Dispatcher()
      let keeper = try Keeper(directory: folder.url, dispatcher: dispatcher, clock: ManualClock())
      let store = try keeper.open(DraftStore.self)
      #expect(store.draft.value.text.withLock { $0 } == old)
      dispatcher.dispatch(Drafts.write(new))
      try await keeper.close()
    }
  }

  @Test func changeOfAVariableOutsideOfAReduceIsSaved() async throws {
    try await saveTwice()
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(TagStore.self)

    store.removeAllDirectly()
    try await keeper.close()

    #expect(try !folder.text(of: "tags.json").contains("first"))
    #expect(try folder.text(of: "tags.previous").contains("second"))
  }

  @Test func changeOfAVariableThatAMirrorHidesIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(VaultStore.self)

    Dispatcher.shared.transaction { store.code.value = 1955 }
    try await keeper.close()

    #expect(try folder.text(of: "vault.json").contains("1955"))
  }

  /// The reduce changes an object in a variable, so the variable's version stays the same.
  @Test func reduceAfterATransactionIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(SafeStore.self)

    Dispatcher.shared.transaction {}
    Dispatcher.shared.dispatch(Safe.set(1955))
    try await keeper.close()

    #expect(try folder.text(of: "safe.json").contains("1955"))
    withExtendedLifetime(store) {}
  }

  @Test func earlyReduceAfterATransactionIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let hasty = HastyStore.instantiate()
    let store = try keeper.open(SafeStore.self)

    Dispatcher.shared.dispatch(Safe.set(1955))
    try await keeper.close()

    #expect(try folder.text(of: "safe.json").contains("1955"))
    withExtendedLifetime((hasty, store)) {}
  }

  @Test func changeOfAnotherStoresVariableBehindADerivedConstantIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let tags = TagStore.instantiate()
    let store = try keeper.open(TagCountStore.self)
    try await keeper.flush()

    Dispatcher.shared.dispatch(Tags.add("first"))
    try await keeper.close()

    #expect(try folder.text(of: "tag-count.json").contains(#""count" : 1"#))
    withExtendedLifetime((tags, store)) {}
  }
}

private enum TagCount: DispatchState {
  typealias RelatedStoreType = TagCountStore
}

private final class TagCountStore: Storable, Persistable {
  static let archive = Archive([String: Int].self, named: "tag-count", version: 2)

  let count: Constant<Int>
  private let offset = Variable(0)

  var saved: [String: Int] { ["count": count.value] }

  init() {
    count = Constant.combine(TagStore.instantiate().tags, offset.constant).map { $0.count + $1 }
  }

  func reduce(with _: TagCount) {}

  func restore(_: [String: Int]) {}
}

private enum Players: DispatchState {
  typealias RelatedStoreType = PlayerStore

  case rank([Int])
}

private final class PlayerStore: Storable, Persistable {
  /// A player, of which `==` compares only the identity.
  struct Player: Codable, Equatable {
    let id: Int
    var rank: Int

    static func == (first: Player, second: Player) -> Bool { first.id == second.id }
  }

  static let archive = Archive([Player].self, named: "players", version: 1)

  let players = Variable([Player(id: 1, rank: 1), Player(id: 2, rank: 2)])

  var saved: [Player] { players.value }

  func reduce(with state: Players) {
    switch state {
    case .rank(let ranks):
      for (index, rank) in ranks.enumerated() { players.value[index].rank = rank }
    }
  }

  func restore(_ saved: [Player]) { players.value = saved }
}

private enum Diaries: DispatchState {
  typealias RelatedStoreType = DiaryStore

  case write(String)
}

private final class DiaryStore: Storable, Persistable {
  struct Entry: Codable {
    var text = ""

    init() {}

    init(from decoder: any Decoder) throws { text = try String(from: decoder) }

    func encode(to encoder: any Encoder) throws {
      let isWhole = Coder.isWhole.map { encoder.userInfo[$0] != nil } ?? false
      try (isWhole ? text : "").encode(to: encoder)
    }
  }

  struct Coder: ArchiveCoder {
    static let isWhole = CodingUserInfoKey(rawValue: "isWhole")

    let isJSON = true

    func encode(_ saved: some Encodable) throws -> Data {
      let encoder = JSONEncoder()
      if let isWhole = Coder.isWhole { encoder.userInfo[isWhole] = true }
      return try encoder.encode(saved)
    }

    func decode<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
      #expect(data.startIndex == 0)
      return try JSONDecoder().decode(type, from: data)
    }
  }

  static let archive = Archive(Entry.self, named: "diary", version: 1, coder: Coder())

  let entry = Variable(Entry())

  var saved: Entry { entry.value }

  func reduce(with state: Diaries) {
    switch state {
    case .write(let text): entry.value.text = text
    }
  }

  func restore(_ saved: Entry) { entry.value = saved }
}

private enum Scores: DispatchState {
  typealias RelatedStoreType = ScoreStore

  case set(Int)
}

private final class ScoreStore: Storable, Persistable {
  /// Points that are encoded without their number.
  struct Points: Codable {
    var number: Int

    init(_ number: Int) { self.number = number }

    init(from _: any Decoder) throws { number = 0 }

    func encode(to encoder: any Encoder) throws { try "points".encode(to: encoder) }
  }

  struct Score: Codable {
    var points = Points(12)

    init() {}

    init(from decoder: any Decoder) throws { points = Points(try Int(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try points.number.encode(to: encoder) }
  }

  static let archive = Archive(Score.self, named: "score", version: 1)

  let score = Variable(Score())

  var saved: Score { score.value }

  func reduce(with state: Scores) {
    switch state {
    case .set(let number): score.value.points.number = number
    }
  }

  func restore(_ saved: Score) { score.value = saved }
}

private enum Drafts: DispatchState {
  typealias RelatedStoreType = DraftStore

  case write(String)
}

private final class DraftStore: Storable, Persistable {
  final class Draft: Codable, Sendable {
    let text: Guarded<String>

    init() { text = Guarded("") }

    init(from decoder: any Decoder) throws { text = Guarded(try String(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try text.withLock { $0 }.encode(to: encoder) }
  }

  static let archive = Archive(Draft.self, named: "draft", version: 1)

  let draft = Variable(Draft())

  var saved: Draft { draft.value }

  func reduce(with state: Drafts) {
    switch state {
    case .write(let text): draft.value.text.withLock { $0 = text }
    }
  }

  func restore(_ saved: Draft) { draft.value = saved }
}

private enum Cards: DispatchState {
  typealias RelatedStoreType = CardStore

  case setText(String)
}

private final class CardStore: Storable, Persistable {
  /// A card, of which `==` compares only the identity.
  struct Card: Codable, Equatable {
    let id: Int
    var text: String

    static func == (first: Card, second: Card) -> Bool { first.id == second.id }
  }

  static let archive = Archive(Card.self, named: "notecard", version: 1)

  let card = Variable(Card(id: 1, text: ""))

  var saved: Card { card.value }

  func reduce(with state: Cards) {
    switch state {
    case .setText(let text): card.value.text = text
    }
  }

  func restore(_ saved: Card) { card.value = saved }
}

private enum Device: DispatchState {
  typealias RelatedStoreType = DeviceStore
}

/// A store whose first version had no id.
private final class DeviceStore: Storable, Persistable {
  /// The type of a user who compares devices in a different way.
  struct Saved: Codable, Equatable {
    var id: UUID?

    static func == (_: Saved, _: Saved) -> Bool { true }
  }

  static let archive = Archive(Saved.self, named: "device", version: 1)

  let id = Variable(UUID())

  var saved: Saved { Saved(id: id.value) }

  func reduce(with _: Device) {}

  func restore(_ saved: Saved) { if let id = saved.id { self.id.value = id } }
}

private enum Labels: DispatchState {
  typealias RelatedStoreType = LabelStore
}

/// A store whose saved type makes a missing id while it's decoded.
private final class LabelStore: Storable, Persistable {
  struct Label: Codable {
    let number: Int
    let id: UUID

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      id = try container.decodeIfPresent(UUID.self, forKey: .id) ?? UUID()
    }
  }

  static let archive = Archive(Label?.self, named: "label", version: 1)

  let label = Variable<Label?>(nil)

  var saved: Label? { label.value }

  func reduce(with _: Labels) {}

  func restore(_ saved: Label?) { label.value = saved }
}

private enum Vault: DispatchState {
  typealias RelatedStoreType = VaultStore
}

/// A store that shows only one of its variables to a debugger.
private final class VaultStore: Storable, Persistable, CustomReflectable {
  static let archive = Archive(Int.self, named: "vault", version: 1)

  let code = Variable(0)
  private let attempts = Variable(0)

  var saved: Int { code.value }
  var customMirror: Mirror { Mirror(self, children: ["attempts": attempts]) }

  func reduce(with _: Vault) {}

  func restore(_ saved: Int) { code.value = saved }
}

private enum Safe: DispatchState {
  typealias RelatedStoreType = SafeStore

  case set(Int)
}

private final class SafeStore: Storable, Persistable {
  static let archive = Archive(Int.self, named: "safe", version: 1)

  private let lock = Variable(Guarded(0))

  var saved: Int { lock.value.withLock { $0 } }

  func reduce(with state: Safe) {
    switch state {
    case .set(let code): restore(code)
    }
  }

  func restore(_ saved: Int) { lock.value.withLock { $0 = saved } }
}

/// A store that lets `SafeStore` reduce each state first.
private final class HastyStore: Storable {
  func reduce(with _: Safe) { waitFor(SafeStore.self) }
}

private enum Tags: DispatchState {
  typealias RelatedStoreType = TagStore

  case add(String)
}

private enum Reads: DispatchState {
  typealias RelatedStoreType = ReadStore
}

/// A store that counts the reads of its saved value.
private final class ReadStore: Storable, Persistable {
  static let archive = Archive(Int.self, named: "reads", version: 1)
  static let reads = Atomic(0)

  private let number = Variable(0)

  var saved: Int {
    ReadStore.reads.add(1, ordering: .relaxed)
    return number.value
  }

  func reduce(with _: Reads) {}

  func restore(_ saved: Int) { number.value = saved }
}

private enum Hashtags: DispatchState {
  typealias RelatedStoreType = HashtagStore

  case add(String)
}

/// A store whose set and dictionary have more room, and so another order, than those that a decoder makes.
private final class HashtagStore: Storable, Persistable {
  struct Saved: Codable {
    var tags: Set<String>

    /// JSON writes the entries as a list, because the keys are no texts.
    var places: [Double: String]
  }

  static let archive = Archive(Saved.self, named: "hashtags", version: 1)

  private let tags = Variable<[String]>([])
  private let searches = Effects()

  var saved: Saved {
    var saved = Saved(tags: Set(minimumCapacity: 1_000), places: Dictionary(minimumCapacity: 1_000))
    for (index, tag) in tags.value.enumerated() {
      saved.tags.insert(tag)
      saved.places[Double(index)] = tag
    }
    return saved
  }

  func reduce(with state: Hashtags) {
    switch state {
    case .add(let tag): tags.value += (1...20).map { "\(tag) \($0)" }
    }
  }

  func restore(_ saved: Saved) {
    tags.value = saved.places.sorted { $0.key < $1.key }.map(\.value)
  }
}

private final class TagStore: Storable {
  var tags: Constant<Set<String>> { _tags.constant }
  private let _tags = Variable<Set<String>>([])

  /// A bag is no part of the store's value.
  private let bag = DustBuster()

  func reduce(with state: Tags) {
    switch state {
    case .add(let tag): _tags.value.insert(tag)
    }
  }

  func removeAllDirectly() { _tags.value = [] }
}

extension TagStore: Persistable {
  /// A set whose encoded order differs each time, as a `Set`'s order differs in each process.
  struct Saved: Codable, Equatable {
    var tags: Set<String>

    private static let encodings = Atomic(0)

    init(_ tags: Set<String>) { self.tags = tags }

    init(from decoder: any Decoder) throws { tags = try Set(from: decoder) }

    func encode(to encoder: any Encoder) throws {
      let number = Saved.encodings.add(1, ordering: .relaxed).newValue
      let sorted = tags.sorted()
      try (number.isMultiple(of: 2) ? sorted : sorted.reversed()).encode(to: encoder)
    }
  }

  static let archive = Archive(Saved.self, named: "tags", version: 2)
    .migrating(from: 1, Saved.self) { $0 }

  var saved: Saved { Saved(_tags.value) }

  func restore(_ saved: Saved) { _tags.value = saved.tags }
}

private enum Places: DispatchState {
  typealias RelatedStoreType = PlaceStore

  case visit
}

private final class PlaceStore: Storable, Persistable {
  struct Saved: Codable, Equatable {
    var visits: Int
    var places: Set<String>
  }

  static let archive = Archive(Saved.self, named: "places", version: 1)

  let place = Guarded("")
  private let _places = Variable<Set<String>>([])
  private let _visits = Variable(0)

  var saved: Saved {
    let place = place.withLock { $0 }
    return Saved(visits: _visits.value, places: place.isEmpty ? _places.value : [place])
  }

  func reduce(with state: Places) { _visits.value += 1 }

  func restore(_ saved: Saved) {
    _visits.value = saved.visits
    _places.value = saved.places
  }
}

private enum Names: DispatchState {
  typealias RelatedStoreType = NameStore

  case leaveAlone
}

private final class NameStore: Storable, Persistable {
  struct Saved: Codable {
    var names: Set<String>
  }

  static let archive = Archive(Saved.self, named: "names", version: 1)

  let effects = Effects(.latest)
  private let names = Variable<Set<String>>([])

  var saved: Saved { Saved(names: names.value) }

  func reduce(with _: Names) {}

  func restore(_ saved: Saved) { names.value = saved.names }
}

import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

// Code of the doc comments and the articles about sessions, keys, updates and results.

private final class Room: Sendable {
  let topic: Constant<String>
  private let store: TopicStore

  init(_ name: String, on dispatcher: Dispatcher) async throws {
    store = TopicStore.instantiate(on: dispatcher)
    topic = store.topic
  }

  func save() async throws {}
}

extension Dispatcher {
  fileprivate enum Topic: DispatchState {
    typealias RelatedStoreType = TopicStore

    case set(String)
  }

  fileprivate enum Messages: DispatchState {
    typealias RelatedStoreType = MessageStore
    typealias RelatedActionType = SessionSnippets.MessageAction

    case sent(String, id: Int)
    case refused(String)
  }
}

private final class TopicStore: Persistable {
  static let archive = Archive(String.self, named: "rooms", version: 1)

  var topic: Constant<String> { _topic.constant }
  private let _topic = Variable("")

  func reduce(with state: Dispatcher.Topic) {
    switch state {
    case .set(let topic): _topic.value = topic
    }
  }

  var saved: String { _topic.value }

  func restore(_ saved: String) { _topic.value = saved }
}

private typealias RoomStore = TopicStore

private final class MessageStore: Storable {
  let posts = Effects(.atMost(5, per: .seconds(3_600)))

  func reduce(with _: Dispatcher.Messages) {}
}

struct Page: Sendable {
  func change(_: CollectionDifference<String>) async {}
  func show(_: Card) async {}
}

func send(_ cards: ConstantTable<Card>, to page: Page) async {
  for await update in cards.changes {
    await page.change(update.difference)
    for row in update.changedRows { await page.show(row) }
  }
}

private enum SessionSnippets {
  struct MessageAction: Actionable {
    typealias DispatchStateType = Dispatcher.Messages

    let post: @Sendable (_ text: String) async throws -> Int

    func send(_ text: String) async throws {
      let id = try await MessageStore.instantiate().posts.perform { _ in try await post(text) }
      invoke(id.map { .sent(text, id: $0) } ?? .refused(text))
    }
  }

  struct FeedAction: Actionable {
    typealias DispatchStateType = Dispatcher.Feed

    let load: @Sendable () async -> [String]

    func refresh() async -> Int? {
      await FeedStore.instantiate().refreshes.perform { effect in
        let items = await load()
        invoke(.loaded(items), as: effect)
        return items.count
      }
    }
  }

  static func update() async {
    let cards = VariableTable([Card(id: "milk", title: "Buy milk")])
    for await update in cards.changes {
      print(update.difference.count, update.updated, update.rows.count)  // 1 [] 1
      break
    }
  }

  static func log(_ dispatcher: Dispatcher) {
    let dust = dispatcher.intercept { event in
      for path in event.changes.flatMap(\.paths) {
        print(path.path, path.oldText, path.newText)
      }
    }
    dust.clean()
  }
}

extension Dispatcher {
  fileprivate enum Feed: DispatchState {
    typealias RelatedStoreType = FeedStore

    case loaded([String])
  }
}

private final class FeedStore: Storable {
  let refreshes = Effects(.first)

  func reduce(with _: Dispatcher.Feed) {}
}

extension Dispatcher {
  enum Purse: DispatchState {
    typealias RelatedStoreType = PurseStore

    case withdraw(Int)
  }
}

final class PurseStore: Storable {
  var balance: Constant<Int> { _balance.constant }
  private let _balance = Variable(100)

  func reduce(with state: Dispatcher.Purse) {
    switch state {
    case .withdraw(let amount): _balance.value -= amount
    }
  }
}

enum PurseError: Error {
  case overdrawn
}

struct Cashier {
  let dispatcher = Dispatcher.shared
  let store = PurseStore.instantiate()

  func withdraw(_ amount: Int) throws(PurseError) -> Int {
    try dispatcher.transaction { () throws(PurseError) in
      if store.balance.value < amount { throw .overdrawn }
      Invoker<Dispatcher.Purse>(on: dispatcher).invoke(.withdraw(amount))
      return store.balance.value
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SessionSnippetTests {
  @Test func purseIsNotOverdrawn() throws {
    let purse = Cashier()

    #expect(try purse.withdraw(70) == 30)
    #expect(throws: PurseError.overdrawn) { try purse.withdraw(70) }
    #expect(purse.store.balance.value == 30)
  }

  @Test func roomsAreOpenedOnDemand() async throws {
    let rooms = Sessions<String, Room>(idle: .seconds(60)) { name, dispatcher in
      try await Room(name, on: dispatcher)
    } close: { room in
      try await room.save()
    }
    let topic = try await rooms.with("general") { room in room.topic.value }

    #expect(topic == "")
    #expect(rooms.ids.value == ["general"])
    await rooms.shutDown()
  }

  @Test func roomIsKeptByItsName() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("SessionSnippets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let keeper = try Keeper(directory: folder)
    let dispatcher = Dispatcher()
    let room = try keeper.open(RoomStore.self, key: "general", on: dispatcher)
    // …
    try await keeper.close(RoomStore.self, key: "general")
    do {
      let dispatcher = Dispatcher()
      let again = try keeper.open(RoomStore.self, key: "general", on: dispatcher)
      Invoker<Dispatcher.Topic>(on: dispatcher).invoke(.set("Lightning"))
      try await keeper.flush(RoomStore.self, key: "general")

      #expect(again.topic.value == "Lightning")
      #expect(keeper.saved(RoomStore.self, key: "general").value == "Lightning")
    }
    #expect(room.topic.value == "")
    try await keeper.close()
  }

  @Test func sixthMessageIsRefused() async throws {
    let action = SessionSnippets.MessageAction { _ in 1 }
    let (store, feed) = (MessageStore.instantiate(), FeedStore.instantiate())
    let messages = DispatchRecorder()

    for number in 1...6 { try await action.send("\(number)") }

    #expect(messages.states.count == 6)
    #expect("\(messages.states[5])" == #"refused("6")"#)
    #expect(await SessionSnippets.FeedAction { ["a"] }.refresh() == 1)
    withExtendedLifetime((store, feed)) {}
  }
}

import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTesting
import Foundation
import Testing

// Code of the doc comments and the article about several servers.

extension Dispatcher {
  fileprivate enum Voting: DispatchState {
    typealias RelatedStoreType = PollStore

    case vote(voter: String, option: String)
  }
}

private final class PollStore: Persistable {
  static let archive = Archive([String: String].self, named: "polls", version: 1)

  let votes = Variable<[String: String]>([:])

  var saved: [String: String] { votes.value }

  func restore(_ saved: [String: String]) { votes.value = saved }

  func reduce(with state: Dispatcher.Voting) {
    switch state {
    case .vote(let voter, let option): votes.value[voter] = option
    }
  }
}

actor Drawer: KeeperStorage {
  private var drawer: [String: StoredContents] = [:]

  func read(_ name: String) -> StoredContents? { drawer[name] }

  func write(_ writes: [StorageWrite]) -> [String: String] {
    var revisions: [String: String] = [:]
    for write in writes where drawer[write.name]?.revision == write.replacing {
      if let contents = write.contents {
        drawer[write.name] = StoredContents(contents, revision: UUID().uuidString)
      }
      revisions[write.name] = drawer[write.name]?.revision ?? ""
    }
    return revisions
  }
}

/// The code of the documentation works.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20))) struct StorageSnippets {
  private typealias NotesStore = PollStore

  private final class Room: Sendable {
    let name: String
    let store: PollStore

    init(_ name: String, _ keeper: Keeper, on dispatcher: Dispatcher) async throws {
      self.name = name
      store = try await keeper.load(PollStore.self, key: name, on: dispatcher)
    }
  }

  @Test func olderServerConfirmsNothing() async throws {
    let storage = MemoryStorage()
    let (older, newer) = (Keeper(storage: storage), Keeper(storage: storage))
    let (first, second) = (Dispatcher(), Dispatcher())
    let polls = [
      try await older.load(PollStore.self, key: "cake", on: first),
      try await newer.load(PollStore.self, key: "cake", on: second),
    ]

    Invoker<Dispatcher.Voting>(on: second).invoke(.vote(voter: "Doc", option: "yes"))
    try await newer.flush(PollStore.self, key: "cake")
    Invoker<Dispatcher.Voting>(on: first).invoke(.vote(voter: "Biff", option: "no"))
    await #expect(throws: KeeperFailure.self) {
      try await older.flush(PollStore.self, key: "cake")
    }
    withExtendedLifetime(polls) {}
  }

  @Test func roomIsLoadedInItsSession() async throws {
    let (database, dispatcher) = (Drawer(), Dispatcher())
    let keeper = Keeper(storage: database)
    let room = try await keeper.load(RoomStore.self, key: "general", on: dispatcher)
    Invoker<Dispatcher.Voting>(on: dispatcher).invoke(.vote(voter: "Doc", option: "yes"))
    try await keeper.close()
    withExtendedLifetime(room) {}

    let next = Keeper(storage: database)
    let votes = try await sessions(next).with("general") { $0.store.votes.value }
    #expect(votes == ["Doc": "yes"])
  }

  private func sessions(_ keeper: Keeper) -> Sessions<String, Room> {
    let rooms = Sessions<String, Room>(idle: .seconds(60)) { name, dispatcher in
      try await Room(name, keeper, on: dispatcher)
    } close: { room in
      try await keeper.close(RoomStore.self, key: room.name)
    } isOver: { room in
      keeper.isSuperseded(RoomStore.self, key: room.name)
    }
    return rooms
  }

  @Test func storageFailsOnDemand() async throws {
    let storage = MemoryStorage()
    let keeper = Keeper(storage: storage, dispatcher: Dispatcher())
    let notes = try await keeper.load(NotesStore.self)
    notes.votes.value["Doc"] = "yes"
    storage.failWrites(with: POSIXError(.ENOSPC))
    await #expect(throws: KeeperFailure.self) { try await keeper.flush() }
    storage.failWrites(with: nil)
    try await keeper.close()
    #expect(storage.writeCount == 1)
  }
}

private typealias RoomStore = PollStore

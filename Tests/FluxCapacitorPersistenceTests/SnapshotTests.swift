import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// A keeper's memory is bounded: it holds one value of each store, even if saving is slower than the changes.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SnapshotTests {
  @Test func changesDuringASlowSaveAreReadOnceAfterward() async throws {
    let folder = try TemporaryFolder()
    let keeper = try Keeper(directory: folder.url, maximumDelay: .zero)
    let store = try keeper.open(SlowStore.self)
    Dispatcher.shared.dispatch(Slow.add)
    await store.pace.encodingBegins()
    let reads = store.reads.withLock { $0 }

    for _ in 1..<10_000 { Dispatcher.shared.dispatch(Slow.add) }

    #expect(store.reads.withLock { $0 } == reads)
    store.pace.finishAll()
    try await keeper.close()
    // The remaining changes were read by the timer's pass, by `close`, or by both.
    #expect(store.reads.withLock { $0 } <= reads + 2)
    #expect(try folder.text(of: "slow.json").contains("\"number\" : 10000"))
  }

  /// Before, the keeper forgot the store, so a later flush succeeded without saving it.
  @Test func storeThatIsOpenedAgainWhileItsCloseEncodesIsSaved() async throws {
    let folder = try TemporaryFolder()
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let store = try keeper.open(SlowStore.self, key: "a", on: .shared)
    Dispatcher.shared.dispatch(Slow.add)
    async let closed: Void = keeper.close(SlowStore.self, key: "a")
    await store.pace.encodingBegins()

    #expect(try keeper.open(SlowStore.self, key: "a", on: .shared) === store)
    Dispatcher.shared.dispatch(Slow.add)
    store.pace.finishAll()
    try await closed
    for number in 2...3 {
      try await keeper.flush(SlowStore.self, key: "a")
      #expect(try folder.text(of: "slow.key-a.json").contains("\"number\" : \(number)"))
      #expect(keeper.saved(SlowStore.self, key: "a").value.number == number)
      Dispatcher.shared.dispatch(Slow.add)
    }
    try await keeper.close(SlowStore.self, key: "a")
    #expect(throws: KeeperFailure.self) {
      try keeper.open(SlowStore.self, key: "a", on: .shared)
    }
  }

  /// Before, a change during a close was noted only as long as somebody held the store.
  @Test func changeDuringACloseIsSavedIfTheStoreIsOpenedAgainAndReleased() async throws {
    let folder = try TemporaryFolder()
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let close = try await closeOfAChangedStore(key: "a", keeper) {
      try await keeper.close(SlowStore.self, key: "a")
    } during: {
      _ = try keeper.open(SlowStore.self, key: "a", on: .shared)
    }

    try close.get()
    try await keeper.flush()

    #expect(try folder.text(of: "slow.key-a.json").contains("\"number\" : 2"))
  }

  @Test func changeDuringAFailedCloseIsSavedAfterTheReleaseOfItsStore() async throws {
    let folder = try TemporaryFolder()
    let keeper = try Keeper(directory: folder.url, clock: ManualClock())
    let counter = try keeper.open(CounterStore.self)
    Dispatcher.shared.dispatch(Dispatcher.Counter.set(1))
    let obstacle = folder.file("counter.json")
    try FileManager.default.createDirectory(
      at: obstacle.appendingPathComponent("folder"),
      withIntermediateDirectories: true
    )
    let close = try await closeOfAChangedStore(key: nil, keeper) { try await keeper.close() }
    #expect(throws: KeeperFailure.self) { try close.get() }

    try FileManager.default.removeItem(at: obstacle)
    try await keeper.flush()

    #expect(try folder.text(of: "slow.json").contains("\"number\" : 2"))
    withExtendedLifetime(counter) {}
  }

  /// Changes a store before and during a close, and releases the store meanwhile.
  private func closeOfAChangedStore(
    key: String?,
    _ keeper: Keeper,
    _ close: @escaping @Sendable () async throws -> Void,
    during: () throws -> Void = {}
  ) async throws -> Result<Void, any Error> {
    var store: SlowStore? = try await keeper.load(SlowStore.self, key: key)
    guard let pace = store?.pace else { return .success(()) }
    Dispatcher.shared.dispatch(Slow.add)
    let closing = Task { try await close() }
    await pace.encodingBegins()
    try during()
    Dispatcher.shared.dispatch(Slow.add)
    store = nil
    pace.finishAll()
    return await closing.result
  }
}

/// Lets a test decide when an encoder goes on.
private final class Pace: Sendable {
  private let beginnings = AsyncStream<Void>.makeStream()
  private let permit = DispatchSemaphore(value: 0)

  func encodingBegins() async { for await _ in beginnings.stream { return } }

  func finishAll() { permit.signal() }

  func wait() {
    beginnings.continuation.yield()
    permit.wait()
    permit.signal()
  }
}

private enum Slow: DispatchState {
  typealias RelatedStoreType = SlowStore

  case add
}

/// A store whose value is encoded slowly, and that counts how often its value is read.
private final class SlowStore: Persistable {
  struct Saved: Codable {
    var number: Int
    var pace: Pace?

    private enum CodingKeys: CodingKey { case number }

    func encode(to encoder: any Encoder) throws {
      if number > 0 { pace?.wait() }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(number, forKey: .number)
    }
  }

  static let archive = Archive(Saved.self, named: "slow", version: 1)

  let pace = Pace()
  let reads = Guarded(0)
  private let number = Variable(0)

  var saved: Saved {
    reads.withLock { $0 += 1 }
    return Saved(number: number.value, pace: pace)
  }

  func restore(_ saved: Saved) { number.value = saved.number }

  func reduce(with _: Slow) { number.value += 1 }
}

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// B13: a keeper loses no change, whichever threads use the keeper, and whenever the power fails.
  struct KeeperInterleavings {
    private static func keeper(
      _ disk: MemoryDisk,
      _ dispatcher: Dispatcher = .shared,
      role: Keeper.Role = .saving,
      clock: any Clock<Duration> = EndlessClock()
    ) throws -> Keeper {
      try Keeper(
        directory: URL(fileURLWithPath: "/memory"),
        role: role,
        dispatcher: dispatcher,
        clock: clock,
        fileSystem: disk
      )
    }

    /// Opens a store, which lives as long as the scenario.
    private static func openStore(
      in scenario: Scenario,
      clock: any Clock<Duration> = EndlessClock()
    ) throws -> (MemoryDisk, Keeper) {
      let disk = MemoryDisk()
      let keeper = try keeper(disk, clock: clock)
      scenario.keep(keeper, try keeper.open(SumStore.self))
      return (disk, keeper)
    }

    /// Returns the number that a disk's file contains, or nil if the file can't be restored.
    private static func saved(_ disk: MemoryDisk) -> Int? {
      let keeper = try? keeper(disk, Dispatcher(), role: .following)
      return try? keeper?.open(SumStore.self).number.value
    }

    // MARK: - Saving

    @Test func keeperReleasedBesideAFailedSaveTriesAgain() {
      explore { scenario in
        let disk = MemoryDisk()
        let keepers = Log(try Self.keeper(disk, clock: InstantClock()))
        let store = try keepers.entries[0].open(SumStore.self)
        disk.fail("write", times: 1)
        scenario.thread {
          add(1)
          keepers.removeAll()
        }
        scenario.keep(store)
        scenario.check { #expect(Self.saved(disk) == 1) }
      }
    }

    @Test func changeBesideAFailedCloseIsSavedAfterTheReleaseOfItsStore() {
      explore(oneIn: 4) { scenario in
        let (disk, keeper) = try Self.openStore(in: scenario)
        let dispatcher = Dispatcher()
        let stores = Log(try keeper.open(SumStore.self, key: "a", on: dispatcher))
        add(1)
        dispatcher.dispatch(Dispatcher.Sum.add(1))
        // The write of the store without a key.
        disk.fail("write", times: 1)
        scenario.task { await #expect(throws: KeeperFailure.self) { try await keeper.close() } }
        scenario.thread {
          dispatcher.dispatch(Dispatcher.Sum.add(1))
          stores.removeAll()
        }
        scenario.lastThread { Task { try? await keeper.flush() } }
        scenario.check {
          let follower = try Self.keeper(disk, role: .following)
          let store = try follower.open(SumStore.self, key: "a", on: Dispatcher())
          #expect(store.number.value == 2)
        }
      }
    }

    // MARK: - Opening

    @Test func twoOpensReturnOneRestoredStore() {
      explore { scenario in
        let disk = MemoryDisk()
        disk.write(#"{"format":1,"version":1,"saved":5}"#, to: "sum.json")
        let keeper = try Self.keeper(disk)
        let stores = Log<SumStore>()
        scenario.threads(1...2) { _ in
          let store = try keeper.open(SumStore.self)
          #expect(store.number.value == 5)
          stores.append(store)
        }
        scenario.check {
          #expect(Set(stores.entries.map(ObjectIdentifier.init)).count == 1)
          stores.removeAll()
        }
      }
    }

    @Test func twoOpensOfADamagedFileBothThrow() {
      explore { scenario in
        let disk = MemoryDisk()
        disk.write("damaged", to: "sum.json")
        let keeper = try Self.keeper(disk)
        let failures = Log<URL>()
        scenario.threads(1...2) { _ in
          do {
            _ = try keeper.open(SumStore.self)
          } catch let failure as KeeperFailure {
            failures.append(failure.file)
          }
        }
        scenario.check { #expect(failures.entries.count == 2) }
      }
    }

    // MARK: - Following

    @Test func followerThatJoinsBesideTheWriterHasTheLastState() {
      explore(oneIn: 4) { scenario in
        let (disk, keeper) = try Self.openStore(in: scenario)
        let (other, followers) = (Dispatcher(), Log<(Keeper, SumStore)>())
        scenario.thread {
          add(1)
          Task { try? await keeper.flush() }
        }
        scenario.thread {
          let follower = try Self.keeper(disk, other, role: .following)
          followers.append((follower, try follower.open(SumStore.self)))
        }
        scenario.check {
          #expect(followers.last?.1.number.value == 1)
          followers.removeAll()
        }
      }
    }

    @Test func followerTriesAgainAfterAFailedRead() {
      explore(oneIn: 4) { scenario in
        let (disk, keeper) = try Self.openStore(in: scenario)
        let (other, clock) = (Dispatcher(), ManualClock())
        let followers = Log<(Keeper, SumStore)>()
        scenario.thread {
          add(1)
          Task { try? await keeper.flush() }
        }
        scenario.thread {
          let follower = try Self.keeper(disk, other, role: .following, clock: clock)
          followers.append((follower, try follower.open(SumStore.self)))
          disk.fail("read", times: 1)
        }
        scenario.lastThread { clock.advance(by: .seconds(10)) }
        scenario.check {
          #expect(followers.last?.1.number.value == 1)
          #expect(followers.last?.0.failure.value == nil)
          followers.removeAll()
        }
      }
    }

    // MARK: - Power failures
  }

  // MARK: - Fixtures

  extension Dispatcher {
    enum Sum: DispatchState {
      typealias RelatedStoreType = SumStore

      case add(Int)
    }
  }

  private func add(_ number: Int) { Dispatcher.shared.dispatch(Dispatcher.Sum.add(number)) }

  final class SumStore: Persistable {
    static let archive = Archive(Int.self, named: "sum", version: 1)

    let number: Constant<Int>
    private let _number = Variable(0)

    init() { number = Constant(_number) }

    func reduce(with state: Dispatcher.Sum) {
      switch state {
      case .add(let amount): _number.value += amount
      }
    }

    var saved: Int { _number.value }

    func restore(_ saved: Int) { _number.value = saved }
  }

  /// A clock on which every sleep ends immediately.
  struct InstantClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until _: ContinuousClock.Instant, tolerance _: Duration?) async throws {}
  }

  /// A clock on which no sleep ends.
  struct EndlessClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until _: ContinuousClock.Instant, tolerance _: Duration?) async throws {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
  }
#endif

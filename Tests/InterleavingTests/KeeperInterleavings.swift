#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// B13: a keeper loses no change, whichever threads use the keeper, and whenever the power fails.
  struct KeeperInterleavings {
    private static let directory = URL(fileURLWithPath: "/memory")

    private static func keeper(
      _ disk: MemoryDisk,
      _ dispatcher: Dispatcher = .shared,
      role: Keeper.Role = .saving,
      clock: any Clock<Duration> = EndlessClock()
    ) throws -> Keeper {
      try Keeper(
        directory: directory,
        role: role,
        dispatcher: dispatcher,
        clock: clock,
        fileSystem: disk
      )
    }

    /// Returns the number that a disk's file contains, or nil if the file can't be restored.
    private static func saved(_ disk: MemoryDisk) -> Int? {
      let keeper = try? keeper(disk, Dispatcher(), role: .following)
      return try? keeper?.open(SumStore.self).number.value
    }

    // MARK: - Saving

    @Test func flushBesideAReduceAndCloseSavesAllEarlierReduces() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let store = try keeper.open(SumStore.self)
        let flushed = Log<String?>()
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(10))
          Task {
            if (try? await keeper.flush()) != nil { flushed.append(disk.text(of: "sum.json")) }
          }
        }
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          Task { try? await keeper.close() }
        }
        scenario.check {
          for text in flushed.entries { #expect(text?.contains(/"saved" : 1[01]/) == true) }
          #expect([1, 11].contains(Self.saved(disk)))
          #expect(!disk.isLocked)
          withExtendedLifetime(store) {}
        }
      }
    }

    @Test func closeSavesAllEarlierReduces() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let store = try keeper.open(SumStore.self)
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          Task { try? await keeper.close() }
        }
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(10)) }
        scenario.check {
          #expect([1, 11].contains(Self.saved(disk)))
          #expect(store.number.value == 11)
        }
      }
    }

    @Test func changeDuringASaveIsSavedByALaterSave() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk, clock: InstantClock())
        let store = try keeper.open(SumStore.self)
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(1)) }
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(10)) }
        scenario.check {
          #expect(Self.saved(disk) == 11)
          withExtendedLifetime((keeper, store)) {}
        }
      }
    }

    @Test func changeBesideAFailedSaveIsSavedByTheRetry() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk, clock: InstantClock())
        let store = try keeper.open(SumStore.self)
        disk.fail("write", times: 1)
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(1)) }
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(10)) }
        scenario.check {
          #expect(Self.saved(disk) == 11)
          #expect(keeper.failure.value == nil)
          withExtendedLifetime((keeper, store)) {}
        }
      }
    }

    @Test func changeBesideAFailedCloseIsSavedByTheRetry() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk, clock: InstantClock())
        let store = try keeper.open(SumStore.self)
        disk.fail("write", times: 1)
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          Task { try? await keeper.close() }
        }
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(10)) }
        scenario.check {
          let saved = Self.saved(disk)
          // If the keeper isn't closed, its retry saves all changes.
          #expect(saved == 11 || saved == 1 && !disk.isLocked)
          withExtendedLifetime((keeper, store)) {}
        }
      }
    }

    @Test func storeReleasedBesideAFlushIsSaved() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let stores = Log(try keeper.open(SumStore.self))
        let dispatcher = Dispatcher.shared
        scenario.thread {
          dispatcher.dispatch(Dispatcher.Sum.add(1))
          stores.removeAll()
        }
        scenario.thread { Task { try? await keeper.flush() } }
        scenario.check {
          let reopened = try? keeper.open(SumStore.self)
          #expect(reopened?.number.value == 1)
        }
      }
    }

    @Test func keeperReleasedBesideAReduceSavesEarlierReduces() {
      explore { scenario in
        let disk = MemoryDisk()
        let keepers = Log(try Self.keeper(disk))
        let store = try keepers.entries[0].open(SumStore.self)
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          keepers.removeAll()
        }
        scenario.thread { Dispatcher.shared.dispatch(Dispatcher.Sum.add(10)) }
        scenario.check {
          #expect([1, 11].contains(Self.saved(disk)))
          #expect(!disk.isLocked)
          withExtendedLifetime(store) {}
        }
      }
    }

    @Test func keeperReleasedBesideAFailedSaveTriesAgain() {
      explore { scenario in
        let disk = MemoryDisk()
        let keepers = Log(try Self.keeper(disk, clock: InstantClock()))
        let store = try keepers.entries[0].open(SumStore.self)
        disk.fail("write", times: 1)
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          keepers.removeAll()
        }
        scenario.check {
          #expect(Self.saved(disk) == 1)
          withExtendedLifetime(store) {}
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
        for _ in 1...2 {
          scenario.thread {
            let store = try keeper.open(SumStore.self)
            #expect(store.number.value == 5)
            stores.append(store)
          }
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
        for _ in 1...2 {
          scenario.thread {
            do {
              _ = try keeper.open(SumStore.self)
            } catch let failure as KeeperFailure {
              failures.append(failure.file)
            }
          }
        }
        scenario.check { #expect(failures.entries.count == 2) }
      }
    }

    @Test func storeThatIsOpenedAgainBesideItsSaveHasItsLastChange() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk, clock: InstantClock())
        let stores = Log(try keeper.open(SumStore.self))
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          stores.removeAll()
          let store = try keeper.open(SumStore.self)
          #expect(store.number.value == 1)
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(10))
        }
        scenario.check { #expect(Self.saved(disk) == 11) }
      }
    }

    @Test func openBesideCloseReturnsARestoredStoreOrThrows() {
      explore { scenario in
        let disk = MemoryDisk()
        disk.write(#"{"format":1,"version":1,"saved":5}"#, to: "sum.json")
        let keeper = try Self.keeper(disk)
        scenario.thread {
          do {
            let store = try keeper.open(SumStore.self)
            #expect(store.number.value == 5)
          } catch let failure as KeeperFailure {
            #expect(failure.cause == .closed)
          }
        }
        scenario.thread { Task { try await keeper.close() } }
        scenario.check {
          #expect(!disk.isLocked)
          #expect(Self.saved(disk) == 5)
        }
      }
    }

    @Test func oneOfTwoKeepersOpensTheFolder() {
      explore { scenario in
        let disk = MemoryDisk()
        let keepers = Log<Keeper>()
        for _ in 1...2 {
          scenario.thread {
            if let keeper = try? Self.keeper(disk) { keepers.append(keeper) }
          }
        }
        scenario.check {
          #expect(keepers.entries.count == 1)
          keepers.removeAll()
        }
      }
    }

    // MARK: - Following

    @Test func followerThatJoinsBesideTheWriterHasTheLastState() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let store = try keeper.open(SumStore.self)
        let other = Dispatcher()
        let followed = Log<SumStore>()
        let followers = Log<Keeper>()
        scenario.thread {
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          Task { try? await keeper.flush() }
        }
        scenario.thread {
          let follower = try Self.keeper(disk, other, role: .following)
          followed.append(try follower.open(SumStore.self))
          followers.append(follower)
        }
        scenario.check {
          #expect(followed.last?.number.value == 1)
          followed.removeAll()
          followers.removeAll()
          withExtendedLifetime((keeper, store)) {}
        }
      }
    }

    @Test func followerAdoptsTheStatesInTheirOrder() {
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk, clock: InstantClock())
        let store = try keeper.open(SumStore.self)
        let other = Dispatcher()
        let followers = Log<(Keeper, SumStore)>()
        let seen = Log<Int>()
        let dusts = DustBuster()
        scenario.thread {
          let follower = try Self.keeper(disk, other, role: .following)
          let followed = try follower.open(SumStore.self)
          followers.append((follower, followed))
          followed.number.observe { seen.append($0) }.cleaned(by: dusts)
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
          Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
        }
        scenario.check {
          #expect([[0, 1, 2], [0, 2]].contains(seen.entries))
          dusts.clean()
          followers.removeAll()
          withExtendedLifetime((keeper, store)) {}
        }
      }
    }

    // MARK: - Power failures

    @Test func stateSurvivesAPowerFailureAfterAnySystemCall() {
      let flushes = isThorough ? 3 : 2
      explore { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let store = try keeper.open(SumStore.self)
        let flushed = Log(0)
        let survivors = Log<(atLeast: Int, disks: [MemoryDisk])>()
        disk.didCall = { [unowned disk] in
          survivors.append((flushed.last ?? 0, disk.disksAfterPowerFailure))
        }
        scenario.thread {
          Task {
            for number in 1...flushes {
              Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
              try await keeper.flush()
              flushed.append(number)
            }
          }
        }
        scenario.check {
          for (atLeast, disks) in survivors.entries {
            for disk in disks { #expect(Self.saved(disk) ?? -1 >= atLeast) }
          }
          #expect(flushed.last == flushes)
          #expect(survivors.entries.count > flushes * 10)
          withExtendedLifetime(store) {}
        }
      }
    }
  }

  // MARK: - Fixtures

  extension Dispatcher {
    enum Sum: DispatchState {
      typealias RelatedStoreType = SumStore
      typealias RelatedActionType = SumAction

      case add(Int)
    }
  }

  struct SumAction: Actionable {
    typealias DispatchStateType = Dispatcher.Sum
  }

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

#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// B13: of several keepers on one storage, only the one whose value is the newest acknowledges anything.
  struct StorageInterleavings {
    private struct LostAnswer: Error {}

    private static func keeper(_ storage: MemoryStorage) -> Keeper {
      Keeper(storage: storage, dispatcher: Dispatcher(), clock: EndlessClock())
    }

    /// Returns the number in the storage.
    private static func number(in storage: MemoryStorage) throws -> Int {
      guard let contents = storage.contents["sum.key-a.json"] else { return 0 }
      return try SumStore.archive.value(in: Envelope(contents))
    }

    /// Loads the key "a", adds a number, and returns whether the keeper has acknowledged it.
    private static func add(_ number: Int, by keeper: Keeper) async throws -> Bool {
      let dispatcher = Dispatcher()
      let store = try await keeper.load(SumStore.self, key: "a", on: dispatcher)
      defer { withExtendedLifetime(store) {} }
      dispatcher.dispatch(Dispatcher.Sum.add(number))
      return (try? await keeper.flush(SumStore.self, key: "a")) != nil
    }

    @Test func acknowledgedChangesOfTwoKeepersAreNeitherLostNorCountedTwice() {
      let sums = Log<Int>()
      explore(oneIn: 12) { scenario in
        let storage = MemoryStorage()
        let acknowledged = Log<Int>()
        for number in [1, 10] {
          scenario.task {
            let keeper = Self.keeper(storage)
            if try await Self.add(number, by: keeper) { acknowledged.append(number) }
          }
        }
        scenario.check {
          let sum = acknowledged.entries.reduce(0, +)
          let number = try Self.number(in: storage)
          #expect(number == sum)
          sums.append(sum)
        }
      }
      #expect(Set(sums.entries) == [1, 10, 11])
    }

    @Test func staleKeeperAcknowledgesNothing() {
      let outcomes = Log<Bool>()
      explore(oneIn: 12) { scenario in
        let storage = MemoryStorage()
        let (old, new) = (Self.keeper(storage), Self.keeper(storage))
        let replacements = Log<Void>()
        scenario.task {
          let dispatcher = Dispatcher()
          let store = try await old.load(SumStore.self, key: "a", on: dispatcher)
          let wasReplaced = !replacements.entries.isEmpty
          let isAcknowledged = (try? await old.flush(SumStore.self, key: "a")) != nil
          let seen = store.number.value
          // What the store shows is the newest value, or it's not acknowledged.
          #expect(!isAcknowledged || !wasReplaced || seen == 1)
          #expect(old.saved(SumStore.self, key: "a").value == seen)
          outcomes.append(isAcknowledged)
        }
        scenario.task {
          _ = try await Self.add(1, by: new)
          replacements.append(())
        }
        scenario.check {
          let number = try Self.number(in: storage)
          #expect(number == 1)
        }
      }
      #expect(Set(outcomes.entries) == [true, false])
    }

    @Test func lostAnswerLosesNoChangeOfTheOnlyKeeper() {
      explore(oneIn: 2) { scenario in
        let storage = MemoryStorage()
        let keeper = Self.keeper(storage)
        let acknowledged = Log<Int>()
        scenario.task {
          storage.failWrites(with: LostAnswer(), afterWriting: true)
          let dispatcher = Dispatcher()
          let store = try await keeper.load(SumStore.self, key: "a", on: dispatcher)
          for _ in 1...2 {
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            do throws(KeeperFailure) {
              try await keeper.flush(SumStore.self, key: "a")
              acknowledged.append(store.number.value)
            } catch {
              #expect(error.cause != .superseded)
            }
          }
          storage.failWrites(with: nil)
          try await keeper.flush(SumStore.self, key: "a")
          let number = try Self.number(in: storage)
          #expect(number == 2)
        }
        scenario.thread { storage.failWrites(with: nil) }
        scenario.check { #expect(keeper.saved(SumStore.self, key: "a").value == 2) }
      }
    }

    @Test func lostAnswerBesideAnotherKeeperIsNeverTakenForItsOwnWrite() {
      explore(oneIn: 16) { scenario in
        let storage = MemoryStorage()
        let keepers = [Self.keeper(storage), Self.keeper(storage)]
        let acknowledged = Log<Int>()
        scenario.task {
          storage.failWrites(with: LostAnswer(), afterWriting: true)
          let dispatcher = Dispatcher()
          let store = try await keepers[0].load(SumStore.self, key: "a", on: dispatcher)
          dispatcher.dispatch(Dispatcher.Sum.add(1))
          for _ in 1...2 {
            if (try? await keepers[0].flush(SumStore.self, key: "a")) != nil {
              acknowledged.append(1)
              break
            }
            storage.failWrites(with: nil)
          }
          withExtendedLifetime(store) {}
        }
        scenario.task {
          if try await Self.add(10, by: keepers[1]) { acknowledged.append(10) }
        }
        scenario.check {
          let number = try Self.number(in: storage)
          let sum = acknowledged.entries.reduce(0, +)
          // A change that wasn't acknowledged may be saved nevertheless.
          #expect([sum, sum | 1, sum + 10, 11].contains(number) && number <= 11)
          for amount in acknowledged.entries {
            #expect(amount == 1 ? number % 10 == 1 : number >= 10)
          }
        }
      }
    }

    @Test func flushesOfAKeyFollowEachOther() {
      explore(oneIn: 8) { scenario in
        let storage = MemoryStorage()
        let (keeper, dispatcher) = (Self.keeper(storage), Dispatcher())
        for _ in 1...2 {
          scenario.task {
            let store = try await keeper.load(SumStore.self, key: "a", on: dispatcher)
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            let number = store.number.value
            try await keeper.flush(SumStore.self, key: "a")
            let saved = keeper.saved(SumStore.self, key: "a").value
            #expect(saved >= number)
            let stored = try Self.number(in: storage)
            #expect(stored >= saved)
          }
        }
      }
    }

    @Test func callsThatLoadAKeyReceiveTheSameStore() {
      explore { scenario in
        let (keeper, dispatcher) = (Self.keeper(MemoryStorage()), Dispatcher())
        let stores = Log<SumStore>()
        for _ in 1...2 {
          scenario.task {
            stores.append(try await keeper.load(SumStore.self, key: "a", on: dispatcher))
          }
        }
        scenario.check { #expect(stores.entries[0] === stores.entries[1]) }
      }
    }

    @Test func keyIsLoadedOnOneDispatcherAtATime() {
      explore(oneIn: 4) { scenario in
        let storage = MemoryStorage()
        let keeper = Self.keeper(storage)
        let saved = Log<Void>()
        for _ in 1...2 {
          scenario.task {
            let dispatcher = Dispatcher()
            guard let store = try? await keeper.load(SumStore.self, key: "a", on: dispatcher) else {
              return
            }
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            try await keeper.close(SumStore.self, key: "a")
            saved.append(())
            withExtendedLifetime(store) {}
          }
        }
        scenario.check {
          let number = try Self.number(in: storage)
          #expect(number == saved.entries.count)
        }
      }
    }

    @Test func supersededSessionIsClosedAndOpenedAgain() {
      explore(oneIn: 16) { scenario in
        let storage = MemoryStorage()
        let (keeper, other) = (Self.keeper(storage), Self.keeper(storage))
        let acknowledged = Log<Int>()
        let sessions = Sessions<String, SumStore>(
          idle: .seconds(3_600),
          clock: EndlessClock()
        ) { key, dispatcher in
          try await keeper.load(SumStore.self, key: key, on: dispatcher)
        } close: { _ in
          try await keeper.close(SumStore.self, key: "a")
        } isOver: { _ in
          keeper.isSuperseded(SumStore.self, key: "a")
        }
        scenario.task {
          // The other keeper replaces the value once.
          for _ in 1...2 where !acknowledged.entries.contains(1) {
            let isAcknowledged = try await sessions.with("a") { store in
              Dispatcher.shared.dispatch(Dispatcher.Sum.add(1))
              return (try? await keeper.flush(SumStore.self, key: "a")) != nil
            }
            if isAcknowledged { acknowledged.append(1) }
          }
        }
        scenario.task { if try await Self.add(10, by: other) { acknowledged.append(10) } }
        scenario.check {
          #expect(acknowledged.entries.contains(1))
          let number = try Self.number(in: storage)
          #expect(number == acknowledged.entries.reduce(0, +))
        }
      }
    }
  }
#endif

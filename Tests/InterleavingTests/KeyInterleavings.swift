#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation
  import Testing

  /// B13: flushes share saves, and the stores of several dispatchers share a keeper, without a lost change.
  struct KeyInterleavings {
    private static func keeper(_ disk: MemoryDisk, role: Keeper.Role = .saving) throws -> Keeper {
      try Keeper(
        directory: URL(fileURLWithPath: "/memory"),
        role: role,
        dispatcher: Dispatcher(),
        clock: EndlessClock(),
        fileSystem: disk
      )
    }

    /// Opens the key "a" on a new dispatcher.
    private static func openKey(
      on disk: MemoryDisk = MemoryDisk()
    ) throws -> (Keeper, Dispatcher, SumStore) {
      let keeper = try keeper(disk)
      let dispatcher = Dispatcher()
      return (keeper, dispatcher, try keeper.open(SumStore.self, key: "a", on: dispatcher))
    }

    /// Returns the number in the file of a key, or nil if the file can't be restored.
    private static func saved(_ key: String, on disk: MemoryDisk) -> Int? {
      let keeper = try? keeper(disk, role: .following)
      return try? keeper?.open(SumStore.self, key: key, on: Dispatcher()).number.value
    }

    @Test func waitingFlushesShareASave() {
      let fewestWrites = Log(Int.max)
      explore(oneIn: 4) { scenario in
        let disk = MemoryDisk()
        let writes = Log<Void>()
        let (keeper, dispatcher, store) = try Self.openKey(on: disk)
        let dust = keeper.saved(SumStore.self, key: "a").observe(ignoreFirst: true) { _ in
          writes.append(())
        }
        let flushed = Log<Bool>()
        scenario.thread {
          for number in 1...2 {
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            Task {
              try await keeper.flush()
              let saved = keeper.saved(SumStore.self, key: "a").value
              flushed.append(saved >= number)
            }
          }
        }
        scenario.check {
          #expect(flushed.entries == [true, true])
          #expect(Self.saved("a", on: disk) == 2)
          fewestWrites.append(min(writes.entries.count, fewestWrites.last ?? .max))
          dust.clean()
          withExtendedLifetime(store) {}
        }
      }
      #expect(fewestWrites.last == 1)
    }

    @Test func flushDuringASaveWaitsForTheNextSave() {
      explore(oneIn: 2) { scenario in
        let (keeper, dispatcher, store) = try Self.openKey()
        let flushed = Log<Int>()
        dispatcher.dispatch(Dispatcher.Sum.add(10))
        scenario.thread { Task { try await keeper.flush() } }
        scenario.thread {
          dispatcher.dispatch(Dispatcher.Sum.add(1))
          Task {
            try await keeper.flush(SumStore.self, key: "a")
            flushed.append(keeper.saved(SumStore.self, key: "a").value)
          }
        }
        scenario.check {
          #expect(flushed.entries == [11])
          withExtendedLifetime(store) {}
        }
      }
    }

    @Test func keyCanBeOpenedBesideACloseOfItsFormerStore() {
      explore { scenario in
        let (keeper, dispatcher, _) = try Self.openKey()
        scenario.thread { Task { try await keeper.close(SumStore.self, key: "a") } }
        scenario.thread { _ = try keeper.open(SumStore.self, key: "a", on: dispatcher) }
      }
    }

    @Test func keyIsOpenOnOneDispatcherAtATime() {
      explore(oneIn: 4) { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let saved = Log<Void>()
        for _ in 1...2 {
          scenario.thread {
            let dispatcher = Dispatcher()
            guard let store = try? keeper.open(SumStore.self, key: "a", on: dispatcher) else {
              return
            }
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            Task {
              try await keeper.close(SumStore.self, key: "a")
              saved.append(())
              withExtendedLifetime(store) {}
            }
          }
        }
        scenario.check { #expect(Self.saved("a", on: disk) == saved.entries.count) }
      }
    }

    @Test func statesOfTwoDispatchersSurviveAPowerFailureAfterAnySystemCall() {
      explore(oneIn: 4) { scenario in
        let disk = MemoryDisk()
        let keeper = try Self.keeper(disk)
        let dispatchers = [("a", Dispatcher()), ("b", Dispatcher())]
        let stores = try dispatchers.map { try keeper.open(SumStore.self, key: $0, on: $1) }
        let answered = Log<String>()
        let survivors = Log<(answered: [String], disks: [MemoryDisk])>()
        disk.didCall = { [unowned disk] in
          survivors.append((answered.entries, disk.disksAfterPowerFailure))
        }
        scenario.thread {
          for (key, dispatcher) in dispatchers {
            dispatcher.dispatch(Dispatcher.Sum.add(1))
            Task {
              try await keeper.flush()
              answered.append(key)
            }
          }
        }
        scenario.check {
          for (answered, disks) in survivors.entries {
            for disk in disks {
              for key in answered { #expect(Self.saved(key, on: disk) == 1) }
            }
          }
          #expect(answered.entries.count == 2)
          withExtendedLifetime(stores) {}
        }
      }
    }
  }
#endif

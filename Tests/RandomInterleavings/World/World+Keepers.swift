#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation

  enum Kept: DispatchState {
    typealias RelatedStoreType = KeptNumber

    case add
    case leave
  }

  /// What a keeper saves: a number, and something that each store encodes in another order, as each process does a set.
  struct SavedNumber: Codable, Equatable, Sendable {
    let number: Int
    private let isReversed: Bool
    private let token = Token()

    init(_ number: Int, isReversed: Bool = false) {
      (self.number, self.isReversed) = (number, isReversed)
    }

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      self.init(try max(values.decode(Int.self), values.decode(Int.self)))
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.unkeyedContainer()
      for value in isReversed ? [-1, number] : [number, -1] { try values.encode(value) }
    }

    static func == (left: SavedNumber, right: SavedNumber) -> Bool { left.number == right.number }
  }

  /// A store that a keeper saves.
  final class KeptNumber: Persistable {
    static let archive = Archive(SavedNumber.self, named: "number", version: 1)

    let number = Variable(0)

    /// The same number again, which every transaction changes together with the first one.
    let copy = Variable(0)
    private let token = Token()
    private let isReversed: Bool

    var saved: SavedNumber { SavedNumber(number.value, isReversed: isReversed) }

    init() {
      isReversed = world.keptStores % 2 == 1
      world.keptStores += 1
    }

    func restore(_ saved: SavedNumber) {
      if saved.number == number.value { world.fail("B13: an equal value is restored.") }
      set(saved.number)
    }

    func reduce(with state: Kept) { if case .add = state { set(number.value + 1) } }

    func set(_ value: Int) { (number.value, copy.value) = (value, value) }
  }

  /// A key of a keeper, and what must be in its file.
  struct Key {
    let name: String
    var dispatcher = Dispatcher()
    var store: KeptNumber?

    /// The numbers of closes in progress and of all closes, and whether the last one has succeeded.
    var closes = 0
    var allCloses = 0
    var isClosed = false
    var isOpening = false

    /// The number of additions, and the number that a new store must have at least.
    var number = 0
    var atLeast = 0

    /// The number that a flush or a close has confirmed.
    var durable = 0

    /// The value on the disk, unless the key can be closed.
    var saved: Constant<SavedNumber>?

    /// Whether the first file of the key can't be read.
    var isDamaged = false
  }

  extension World {
    private static let damage = "damaged"

    private func makeKeeper(on disk: MemoryDisk, role: Keeper.Role = .saving) throws -> Keeper {
      try Keeper(
        directory: URL(fileURLWithPath: "/memory"),
        role: role,
        dispatcher: Dispatcher(),
        clock: clock,
        fileSystem: disk
      )
    }

    func setUpKeeper() {
      keys = ["a", "b"].map { Key(name: $0) }
      if plan.isDamaged {
        keys[1].isDamaged = true
        disk.write(World.damage, to: FileName(of: "number", key: "b").current)
      }
      keeper = try? makeKeeper(on: disk)
      for number in keys.indices { open(number) }
      disk.didCall = { world.noteCall() }
    }

    /// Keeps the disks that a power failure could leave now and then.
    private func noteCall() {
      calls += 1
      guard survivors.count < 4, calls % 7 == run % 7, heldLocks.user == 0 else { return }
      for index in keys.indices {
        keys[index].durable = max(keys[index].durable, keys[index].saved?.value.number ?? 0)
      }
      survivors.append((keys.map(\.durable), keys.map(\.number), disk.disksAfterPowerFailure))
    }

    // MARK: - Operations

    private func open(_ number: Int) {
      // Users must not open a key in two places at a time.
      guard let keeper, keys[number].store == nil, !keys[number].isOpening else { return }
      keys[number].isOpening = true
      open(number, in: keeper)
      keys[number].isOpening = false
    }

    private func open(_ number: Int, in keeper: Keeper) {
      if keys[number].isClosed {
        (keys[number].isClosed, keys[number].dispatcher) = (false, Dispatcher())
      }
      let former = keys[number]
      // A close can detach the new store from the key, and somebody can still hold a store that is already detached.
      var isBesideAClose: Bool { former.closes > 0 || keys[number].allCloses > former.allCloses }
      do {
        let store = try keeper.open(KeptNumber.self, key: keys[number].name, on: former.dispatcher)
        if store.number.value < former.atLeast || store.number.value > keys[number].number {
          fail(
            "B13: key \(number) is opened with \(store.number.value) instead of \(former.atLeast)."
          )
        }
        if keys[number].isDamaged { fail("B13: a damaged file is opened.") }
        if isBesideAClose { return }
        keys[number].store = store
        if !mayClose { keys[number].saved = keeper.saved(KeptNumber.self, key: former.name) }
      } catch {
        if !keys[number].isDamaged, failingCalls == 0, !isBesideAClose {
          fail("B13: key \(number) can't be opened: \(error)")
        }
      }
    }

    func keep(_ op: Op) {
      guard !keys.isEmpty else { return }
      let number = op.target % keys.count
      switch op.kind {
      case .openKey: open(number)
      case .add: add(to: number, op)
      case .flush: flush(op.payload == 0 ? nil : number)
      case .closeKey: close(number)
      case .letGoOfKey: letGo(of: number)
      case .letGoOfKeeper: letGoOfKeeper()
      case .failCall: failCall(op)
      case .follow: follow(number)
      default: break
      }
    }

    private func add(to number: Int, _ op: Op) {
      guard let store = keys[number].store else { return }
      if op.payload == 0 { return keys[number].dispatcher.dispatch(Kept.leave) }
      keys[number].number += 1
      adds += 1
      if op.payload == 1 {
        keys[number].dispatcher.transaction { store.set(store.number.value + 1) }
      } else {
        keys[number].dispatcher.dispatch(Kept.add)
      }
      // Another thread's reduce may be half done.
      let value = keys[number].dispatcher.read { store.number.value }
      // A close may already have saved the store for the last time.
      if keys[number].store === store, keys[number].closes == 0 {
        keys[number].atLeast = max(keys[number].atLeast, value)
      }
    }

    /// The numbers that a flush that begins now must save.
    private func numbers(_ number: Int?) -> [Int] {
      keys.indices.map { index in
        (number ?? index) == index && keys[index].store != nil ? keys[index].atLeast : 0
      }
    }

    /// Whether a key can be closed, so that the keeper doesn't know any more what it has saved.
    private var mayClose: Bool { plan.threads.joined().contains { $0.kind == .closeKey } }

    private func confirm(_ numbers: [Int]) {
      for (index, number) in numbers.enumerated() {
        keys[index].durable = max(keys[index].durable, number)
      }
    }

    private func flush(_ number: Int?) {
      guard let keeper, number.map({ keys[$0].store != nil }) ?? true else { return }
      let numbers = numbers(number)
      let name = number.map { keys[$0].name }
      tasks.append(
        Task {
          do {
            if let name {
              try await keeper.flush(KeptNumber.self, key: name)
            } else {
              try await keeper.flush()
            }
            world.confirm(numbers)
            for (index, number) in numbers.enumerated() where number > 0 && !world.mayClose {
              let saved = keeper.saved(KeptNumber.self, key: world.keys[index].name).value.number
              if saved < number {
                world.fail("B13: `saved` is \(saved) after a flush of \(number).")
              }
            }
          } catch {
            if world.failingCalls == 0 { world.fail("B13: a flush fails: \(error)") }
          }
        }
      )
    }

    private func close(_ number: Int) {
      guard let keeper, let store = keys[number].store else { return }
      let name = keys[number].name
      let numbers = numbers(number)
      keys[number].store = nil
      keys[number].closes += 1
      keys[number].allCloses += 1
      tasks.append(
        Task {
          defer { world.keys[number].closes -= 1 }
          do {
            try await keeper.close(KeptNumber.self, key: name)
            world.confirm(numbers)
            // The key has nothing to do any more with a store that was opened meanwhile.
            world.letGo(of: number)
            world.keys[number].isClosed = true
          } catch {
            if world.failingCalls == 0 { world.fail("B13: a close fails: \(error)") }
            if world.keys[number].store == nil { world.keys[number].store = store }
          }
        }
      )
    }

    private func letGo(of number: Int) {
      let store = keys[number].store.take()
      withExtendedLifetime(store) {}
    }

    private func letGoOfKeeper() {
      let former = keeper.take()
      withExtendedLifetime(former) {}
    }

    private func failCall(_ op: Op) {
      let call = ["write", "fsync", "rename", "open"][op.payload]
      // A call that a signal interrupts is repeated.
      if op.target % 3 == 0 { return disk.fail(call, times: 1, code: EINTR) }
      failingCalls += 1
      disk.fail(call, times: 1)
    }

    /// Follows a key in another keeper, which never goes back.
    private func follow(_ number: Int) {
      let dispatcher = Dispatcher()
      guard !keys[number].isDamaged, let follower = try? makeKeeper(on: disk, role: .following),
        let store = try? follower.open(KeptNumber.self, key: keys[number].name, on: dispatcher)
      else { return }
      nonisolated(unsafe) var last: Int?
      let dust = Constant.combine(store.number, store.copy).observe { value, copy in
        // The first value may be half of a transaction.
        if last != nil, value != copy {
          world.fail("B13: a follower has half of a state: \(value), \(copy)")
        }
        if let last, value < last {
          world.fail("B13: a follower goes back from \(last) to \(value).")
        }
        last = value
      }
      followers.append((follower, dispatcher, store, number, dust))
    }

    // MARK: - Checks

    /// Saves everything. The threads of the scenario have ended.
    func endKeeping() {
      guard let keeper else { return }
      let numbers = numbers(nil)
      tasks.append(
        Task {
          var isSaved = false
          for _ in 1...6 where !isSaved { isSaved = (try? await keeper.flush()) != nil }
          if !isSaved { return world.fail("B13: the last flush fails.") }
          world.confirm(numbers)
          let renames = world.disk.renames
          try? await keeper.flush()
          if world.disk.renames > renames {
            world.fail("B13: a flush without a change writes a file.")
          }
          if world.failingCalls == 0, renames > world.adds {
            world.fail("B13: a file is written without a change.")
          }
          if world.failingCalls == 0, let failure = keeper.failure.value {
            world.fail("B13: a failure remains: \(failure)")
          }
        }
      )
    }

    func checkKeeping() {
      guard !keys.isEmpty else { return }
      survivors.append((keys.map(\.durable), keys.map(\.number), disk.disksAfterPowerFailure))
      for (_, _, store, number, dust) in followers {
        if store.number.value < keys[number].durable {
          fail("B13: a follower has \(store.number.value) instead of \(keys[number].durable).")
        }
        dust.clean()
      }
      followers = []
      for index in keys.indices { (keys[index].store, keys[index].saved) = (nil, nil) }
      keeper = nil
      disk.didCall = nil
    }

    /// Checks what each power failure has left. The schedule has ended.
    func checkSurvivors() {
      for (durable, numbers, disks) in survivors {
        for disk in disks { checkDisk(disk, durable, numbers) }
      }
      survivors = []
    }

    private func checkDisk(_ disk: MemoryDisk, _ durable: [Int], _ numbers: [Int]) {
      let reader = try? makeKeeper(on: disk)
      for (index, key) in keys.enumerated() {
        if key.isDamaged {
          let text = disk.text(of: FileName(of: "number", key: key.name).current)
          if text != World.damage { fail("B13: a damaged file is overwritten.") }
          continue
        }
        let store = try? reader?.open(KeptNumber.self, key: key.name, on: Dispatcher())
        guard let number = store?.number.value else {
          fail("B13: key \(index) can't be restored after a power failure.")
          continue
        }
        if number < durable[index] {
          fail(
            "B13: key \(index) has \(number) after a power failure, but \(durable[index]) was saved."
          )
        }
        if number > numbers[index] {
          fail("B13: key \(index) has \(number) after a power failure.")
        }
      }
    }
  }
#endif

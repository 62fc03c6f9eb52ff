#if DEBUG
  import FluxCapacitor
  import FluxCapacitorPersistence
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Foundation

  enum Kept: DispatchState {
    typealias RelatedStoreType = KeptNumber

    case add, leave
  }

  /// What a keeper saves.
  struct SavedNumber: Codable, Equatable, Sendable {
    enum CodingKeys: CodingKey { case number }

    let number: Int
    private let token = Token()

    init(_ number: Int) { self.number = number }

    static func == (left: SavedNumber, right: SavedNumber) -> Bool { left.number == right.number }
  }

  /// A store that a keeper saves.
  final class KeptNumber: Persistable {
    static let archive = Archive(SavedNumber.self, named: "number", version: 1)

    let number = Variable(0)

    /// The same number again, which every transaction changes together with the first one.
    let copy = Variable(0)
    private let token = Token()

    var saved: SavedNumber {
      if number.value != copy.value { world.fail("B13: half of a state is saved.") }
      return SavedNumber(number.value)
    }

    func restore(_ saved: SavedNumber) {
      if saved.number == number.value { world.fail("B13: an equal value is restored.") }
      set(saved.number)
    }

    func reduce(with state: Kept) { if case .add = state { set(number.value + 1) } }

    func set(_ value: Int) { (number.value, copy.value) = (value, value) }
  }

  /// A key of a keeper, and what must be in its file.
  final class Key: @unchecked Sendable {
    let name: String
    var dispatcher = Dispatcher()
    var store: KeptNumber?

    /// The numbers of closes in progress, of all closes and of all calls of `open`.
    var (closes, allCloses, opens) = (0, 0, 0)
    var (isClosed, isOpening) = (false, false)

    /// The store of the last close.
    weak var closed: KeptNumber?

    /// The number of additions, and the number that a new store must have at least.
    var number = 0
    var atLeast = 0

    /// The number that a flush or a close has confirmed, and the number that the end of the scenario must confirm.
    var durable = 0
    var due = 0

    /// The value on the disk, unless the key can be closed.
    var saved: Constant<SavedNumber>?

    init(_ name: String) { self.name = name }

    func confirm(_ number: Int) { durable = max(durable, number) }
  }

  extension World {
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
      keys = [Key("a"), Key("b")]
      keeper = try? makeKeeper(on: disk)
      keys.forEach(open)
      disk.didCall = { world.noteCall() }
    }

    /// Keeps the disks that a power failure could leave now and then.
    private func noteCall() {
      calls += 1
      guard survivors.isEmpty, calls % 7 == run % 7, heldLocks.user == 0 else { return }
      for key in keys { key.confirm(key.saved?.value.number ?? 0) }
      survivors.append((keys.map(\.durable), keys.map(\.number), disk.disksAfterPowerFailure))
    }

    // MARK: - Operations

    private func key(_ op: Op) -> Key { keys[op.target % keys.count] }

    func openKey(_ op: Op) { open(key(op)) }

    private func open(_ key: Key) {
      // Users must not open a key in two places at a time.
      guard let keeper, key.store == nil, !key.isOpening else { return }
      (key.isOpening, key.opens) = (true, key.opens + 1)
      defer { key.isOpening = false }
      if key.isClosed { (key.isClosed, key.dispatcher) = (false, Dispatcher()) }
      let (atLeast, allCloses, isClosing) = (key.atLeast, key.allCloses, key.closes > 0)
      let isHeld = key.closed != nil
      // A close can detach the new store from the key, and somebody can still hold a store that is already detached.
      var isBesideAClose: Bool { isHeld || isClosing || key.allCloses > allCloses }
      do {
        let store = try keeper.open(KeptNumber.self, key: key.name, on: key.dispatcher)
        let value = store.number.value
        let isRight = value >= atLeast && value <= key.number
        if !isRight { fail("B13: key \(key.name) has \(value) instead of \(atLeast).") }
        if isBesideAClose { return }
        key.store = store
        if !mayClose { key.saved = keeper.saved(KeptNumber.self, key: key.name) }
      } catch {
        let isRight = failingCalls > 0 || isBesideAClose
        if !isRight { fail("B13: key \(key.name) can't be opened: \(error)") }
      }
    }

    func add(_ op: Op) {
      let key = key(op)
      guard let store = key.store else { return }
      if op.payload == 0 { return key.dispatcher.dispatch(Kept.leave) }
      key.number += 1
      adds += 1
      op.payload == 1
        ? key.dispatcher.transaction { store.set(store.number.value + 1) }
        : key.dispatcher.dispatch(Kept.add)
      // Another thread's reduce may be half done.
      let value = key.dispatcher.read { store.number.value }
      // A close may already have saved the store for the last time.
      if key.store === store, key.closes == 0 { key.atLeast = max(key.atLeast, value) }
    }

    /// The numbers of keys that a flush that begins now must save.
    private func numbers(of keys: [Key]) -> [(Key, Int)] {
      keys.filter { $0.store != nil }.map { ($0, $0.atLeast) }
    }

    /// Whether a key can be closed, so that the keeper doesn't know any more what it has saved.
    private var mayClose: Bool { plan.threads.joined().contains { $0.kind == .closeKey } }

    /// Runs a call of the keeper, which may fail only if one of the disk's calls fails.
    private func save(_ due: [(Key, Int)], _ body: @escaping @Sendable () async throws -> Void) {
      let task = Task {
        do {
          try await body()
          for (key, number) in due { key.confirm(number) }
        } catch {
          if world.failingCalls == 0 { world.fail("B13: saving fails: \(error)") }
        }
      }
      tasks.append(task)
    }

    func flush(_ op: Op) {
      let key = op.payload == 0 ? nil : key(op)
      guard let keeper, key.map({ $0.store != nil }) ?? true else { return }
      let numbers = numbers(of: key.map { [$0] } ?? keys)
      save(numbers) {
        if let key {
          try await keeper.flush(KeptNumber.self, key: key.name)
        } else {
          try await keeper.flush()
        }
        for (key, number) in numbers where !world.mayClose {
          let saved = keeper.saved(KeptNumber.self, key: key.name).value.number
          if saved < number { world.fail("B13: `saved` is \(saved) after a flush of \(number).") }
        }
      }
    }

    func close(_ op: Op) {
      let key = key(op)
      guard let keeper, let store = key.store else { return }
      let numbers = numbers(of: [key])
      (key.store, key.closed) = (nil, store)
      key.closes += 1
      key.allCloses += 1
      let opens = key.opens
      save(numbers) {
        defer { key.closes -= 1 }
        do {
          try await keeper.close(KeptNumber.self, key: key.name)
        } catch {
          if key.store == nil { key.store = store }
          throw error
        }
        // A key that was opened meanwhile stays open.
        if key.opens == opens { key.isClosed = true }
      }
    }

    func letGoOfKey(_ op: Op) { withExtendedLifetime(key(op).store.take()) {} }

    /// A released keeper saves the changes that precede its release.
    func letGoOfKeeper(_: Op) {
      if keeper != nil, failingCalls < 3 { for key in keys { key.due = key.atLeast } }
      withExtendedLifetime(keeper.take()) {}
    }

    func failCall(_ op: Op) {
      let call = ["write", "fsync", "rename", "open"][op.payload]
      // A call that a signal interrupts is repeated.
      if op.target % 3 == 0 { return disk.fail(call, times: 1, code: EINTR) }
      failingCalls += 1
      disk.fail(call, times: 1)
    }

    /// Follows a key in another keeper, which never goes back.
    func follow(_ op: Op) {
      let (key, dispatcher, former) = (key(op), Dispatcher(), keeper)
      let isLocked = former == nil || (try? makeKeeper(on: disk)) == nil
      if !isLocked, former === keeper { fail("B13: two keepers have one folder.") }
      guard let follower = try? makeKeeper(on: disk, role: .following),
        let store = try? follower.open(KeptNumber.self, key: key.name, on: dispatcher)
      else { return }
      nonisolated(unsafe) var last: Int?
      let dust = Constant.combine(store.number, store.copy).observe { value, copy in
        // The first value may be half of a transaction.
        if last != nil, value != copy { world.fail("B13: a follower has half of a state.") }
        if last ?? 0 > value { world.fail("B13: a follower goes back to \(value).") }
        last = value
      }
      followers.append((follower, dispatcher, store, key, dust))
    }

    // MARK: - Checks

    /// Saves everything. The threads of the scenario have ended.
    func endKeeping() {
      guard let keeper else { return }
      save(numbers(of: keys)) {
        for _ in 1...5 { try? await keeper.flush() }
        let renames = world.disk.renames
        if (try? await keeper.flush()) == nil { world.fail("B13: the last flush fails.") }
        let isSound = world.failingCalls == 0
        if world.disk.renames > renames || isSound && renames > world.adds {
          world.fail("B13: a file is written without a change.")
        }
        if isSound, let failure = keeper.failure.value { world.fail("B13: \(failure) remains.") }
      }
    }

    func checkKeeping() {
      for key in keys { key.confirm(key.due) }
      survivors.append((keys.map(\.durable), keys.map(\.number), disk.disksAfterPowerFailure))
      for (_, _, store, key, dust) in followers {
        let number = store.number.value
        if number < key.durable { fail("B13: a follower has \(number), not \(key.durable).") }
        dust.clean()
      }
      for key in keys { (key.store, key.saved) = (nil, nil) }
      disk.didCall = nil
    }

    /// Checks what each power failure has left. The schedule has ended.
    func checkSurvivors() {
      for (durable, numbers, disks) in survivors {
        disks.forEach { checkDisk($0, durable, numbers) }
      }
      survivors = []
    }

    private func checkDisk(_ disk: MemoryDisk, _ durable: [Int], _ numbers: [Int]) {
      let reader = try? makeKeeper(on: disk)
      for (index, key) in keys.enumerated() {
        let store = try? reader?.open(KeptNumber.self, key: key.name, on: Dispatcher())
        let (number, saved) = (store?.number.value ?? -1, durable[index])
        if number < saved || number > numbers[index] {
          fail("B13: key \(key.name) has \(number) instead of \(saved) after a power failure.")
        }
      }
    }
  }
#endif

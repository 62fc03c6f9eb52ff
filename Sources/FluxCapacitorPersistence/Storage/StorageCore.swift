import FluxCapacitor
import Foundation

/// A keeper's stores, which are saved to a storage.
///
/// The revision of each value makes sure that of several keepers, only one can save a store: the write of all others
/// replaces a revision that isn't current any more.
final class StorageCore: KeeperCore, @unchecked Sendable {
  /// Names this keeper in the contents that it writes, so that it recognizes a write whose answer was lost.
  private let writer = UUID().uuidString

  // The lock guards the properties below.

  /// The storage, or nil after the keeper was closed.
  private var storage: (any KeeperStorage)?

  private var lastPass: Task<Void, Never>?

  init(
    _ storage: any KeeperStorage,
    _ dispatcher: Dispatcher,
    _ maximumDelay: Duration,
    _ clock: any Clock<Duration>,
    savesTimeTravel: Bool
  ) {
    self.storage = storage
    let place = URL(fileURLWithPath: "/storage")
    super.init(place, .saving, dispatcher, maximumDelay, clock, savesTimeTravel: savesTimeTravel)
  }

  override var isOpen: Bool { storage != nil }

  override func takePlace() -> Any { storage.take() as Any }

  override func sendPass(
    _ scope: @escaping @Sendable () -> Scope?,
    then completion: @escaping @Sendable (KeeperFailure?) -> Void
  ) {
    let former = lock.withLock {
      let former = lastPass
      lastPass = Task.detached { [self] in
        await former?.value
        if let scope = scope() { completion(await runPass(scope)) }
      }
      return former
    }
    withExtendedLifetime(former) {}
  }

  nonisolated(nonsending) func load<S: Persistable>(
    _: S.Type,
    key: String?,
    on dispatcher: Dispatcher
  ) async throws -> S {
    let name = try fileName(of: S.self, key: key)
    while true {
      var shared: KeeperFailure?
      do throws(KeeperFailure) {
        guard let (opening, place) = try beginOpening(S.self, name) else { break }
        await place.waiter.wait()
        shared = lock.withLock {
          if Task.isCancelled { opening.waiters.remove(place) }
          return opening.failure
        }
      } catch {
        // The store might be open already. If it was released meanwhile, the method tries again.
        let live = try? dispatcher.instantiate(S.self) { () throws(KeeperFailure) in throw error }
        if let live, reopen(name, live.store) { return live.store }
        if live != nil || keptStore(name)?.anyStore != nil { throw error }
      }
      try Task.checkCancellation()
      if let shared { throw shared }
    }
    var failure: KeeperFailure?
    defer { endOpening(name, failure: failure) }
    let stored: StoredContents?
    do { stored = try await read(name) } catch {
      failure = error as? KeeperFailure
      throw error
    }
    let (store, isNew) = try dispatcher.instantiate(S.self) { () throws(KeeperFailure) in
      let kept = KeptRow<S>(name, in: place, on: dispatcher, schedule: schedule(name))
      (kept.writer, kept.revision) = (writer, stored?.revision)
      return try create(kept, on: dispatcher) { makeStore throws(KeeperFailure) in
        try kept.store(stored?.contents, from: kept.url, makeStore)
      }
    }
    if !isNew { throw self.failure(.storeExists("\(S.self)"), of: name) }
    return store
  }

  nonisolated(nonsending) private func read(_ name: FileName) async throws -> StoredContents? {
    guard let storage = lock.withLock({ storage }) else { throw failure(.closed) }
    do {
      return try await storage.read(name.current)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw failure(.storage(describe(error)), of: name)
    }
  }
}

// MARK: - Passes

extension StorageCore {
  private func runPass(_ scope: Scope) async -> KeeperFailure? {
    let callers = beginPass(scope)
    let failures = await save(scope, checking: Set(callers.compactMap(\.name?.inTable)))
    return endPass(scope, failures, for: callers)
  }

  /// Saves stores, and makes sure that no other keeper has replaced the value of a store for which `flush` was called.
  private func save(_ scope: Scope, checking names: Set<String>) async -> [PassFailure] {
    guard let storage = lock.withLock({ storage }) else { return failuresAfterClose(scope) }
    let rows = stores(in: scope).compactMap { $0 as? any AnyKeptRow }
      // The failure of these stores is known. They can be closed, or nobody uses them any more.
      .filter { row in
        let isUsed = row.anyStore != nil || names.contains(row.fileName.inTable)
        return !row.isLossKnown || !scope.isLast && isUsed
      }
    takeSnapshots(of: rows, in: scope)
    let failures = await write(rows, checking: names, to: storage)
    // Another attempt to save a superseded store is useless. Each flush fails until the store is closed.
    let superseded = failures.filter { $0.failure.cause == .superseded }.compactMap(\.name)
    if scope != .changed {
      for row in rows where row.isSuperseded.value { row.isLossKnown = true }
    }
    lock.withLock { changedNames.formUnion(superseded.filter(\.hasKey).map(\.inTable)) }
    let others = failures.filter { $0.failure.cause != .superseded }
    note(others, in: scope)
    if !failures.isEmpty { retrySnapshots(of: rows) }
    // A check that has failed has no snapshot.
    if !others.isEmpty { scheduleSave(of: nil, isRetry: true) }
    return failures
  }

  private typealias Entry = (row: any AnyKeptRow, write: StorageWrite)

  /// Writes the snapshots, usually in one transaction of the storage.
  private func write(
    _ rows: [any AnyKeptRow],
    checking names: Set<String>,
    to storage: any KeeperStorage
  ) async -> [PassFailure] {
    var failures: [PassFailure] = []
    var rows = rows
    // A write whose answer was lost is repeated once.
    for _ in 1...2 {
      let batch = entries(for: rows, checking: names, &failures)
      rows = []
      // A value that the storage refuses, or too many values, must not keep it from saving the others. So after a failure,
      // each value is written alone, those that have failed most often at the end.
      var calls = batch.filter { $0.row.failedWrites > 0 }
        .sorted { $0.row.failedWrites > $1.row.failedWrites }.map { [$0] }
      calls.append(batch.filter { $0.row.failedWrites == 0 })
      var errors: [any Error] = []
      while let call = calls.popLast() {
        // After two failures, the storage itself has probably failed.
        if let error = errors.last, errors.count == 2 {
          failures += call.map { (name: $0.row.fileName, failure: failure(error, of: $0.row)) }
          continue
        }
        do {
          let revisions = call.isEmpty ? [:] : try await storage.write(call.map(\.write))
          errors = []
          rows += await finish(call, revisions, &failures)
        } catch {
          for (row, _) in call { row.failedWrites += 1 }
          if call.count > 1 {
            calls += call.reversed().map { [$0] }
          } else {
            errors.append(error)
            failures.append((call[0].row.fileName, failure(error, of: call[0].row)))
          }
        }
      }
    }
    return failures
      + rows.map { ($0.fileName, failure(.storage("it returns no revision"), of: $0.fileName)) }
  }

  private func failure(_ error: any Error, of row: any AnyKeptRow) -> KeeperFailure {
    failure(.storage(describe(error)), of: row.fileName)
  }

  /// The writes for stores that have changed, or whose revision must be checked.
  private func entries(
    for rows: [any AnyKeptRow],
    checking names: Set<String>,
    _ failures: inout [PassFailure]
  ) -> [Entry] {
    var entries: [Entry] = []
    for row in rows {
      do throws(KeeperFailure) {
        if row.isSuperseded.value { throw failure(.superseded, of: row.fileName) }
        let contents = try row.contents()
        guard contents != nil || names.contains(row.fileName.inTable) else { continue }
        let name = row.fileName.current
        entries.append((row, .init(name: name, contents: contents, replacing: row.revision)))
      } catch {
        failures.append((row.fileName, error))
      }
    }
    return entries
  }

  /// Notes the new revisions, and returns the stores that have to be written again.
  private func finish(
    _ entries: [Entry],
    _ revisions: [String: String],
    _ failures: inout [PassFailure]
  ) async -> [any AnyKeptRow] {
    var again: [any AnyKeptRow] = []
    for (row, write) in entries {
      row.failedWrites = 0
      if let revision = revisions[write.name] {
        if let contents = write.contents { row.endWriting(contents, revision: revision) }
        continue
      }
      do throws(KeeperFailure) {
        try await adoptOwnWrite(of: row)
        again.append(row)
      } catch {
        failures.append((row.fileName, error))
      }
    }
    return again
  }

  /// Adopts the revision of a write of this keeper whose answer was lost, or throws the reason why the store can't be saved.
  private func adoptOwnWrite(of row: any AnyKeptRow) async throws(KeeperFailure) {
    let stored: StoredContents?
    do { stored = try await read(row.fileName) } catch {
      throw error as? KeeperFailure ?? failure(error, of: row)
    }
    guard let stored, Envelope.writer(of: stored.contents) == writer else {
      row.isSuperseded.value = true
      throw failure(.superseded, of: row.fileName)
    }
    if stored.revision == row.revision {
      throw failure(.storage("it refuses to replace the current revision"), of: row.fileName)
    }
    row.revision = stored.revision
  }
}

import FluxCapacitor
import Foundation

/// The link between a store and its saved value.
///
/// This class reads the store's value for a save. The subclasses write it to a file or to a storage.
class KeptStore<S: Persistable>: AnyKeptStore, @unchecked Sendable {
  let archive = S.archive
  let fileName: FileName

  /// The folder or the storage, for failures.
  private let place: URL

  /// A dispatcher that ends with its session, while the store may live on.
  weak let dispatcher: Dispatcher?

  /// The saved value, or the store's first value if nothing has been saved yet. `attach` sets this property before other
  /// threads can use this object.
  var saved: Variable<S.Saved>?

  /// The store. `attach` sets this property before other threads can use this object.
  weak var store: S?
  var opening = 0
  private var watcher: StoreWatcher?

  /// Whether time travel is a change like any other.
  private var savesTimeTravel = true

  /// Schedules a save of the changed stores.
  private let schedule: @Sendable (_ isRetry: Bool) -> Void

  /// What the file or the storage has.
  enum Written {
    /// The value of `saved`: the store's first one if nothing has been saved, or the one that was read. This process encodes
    /// it as these bytes. Another process may have written others, because each one encodes a set in its own order.
    case read(Data)

    /// These bytes.
    case contents(Data)

    /// A value that must be written anyway, such as one of an older version, or one whose write has failed.
    ///
    /// If the failed write might have replaced a file, the next one must keep the previous generation, which is the
    /// former file.
    case unknown(keepsPrevious: Bool)

    /// A file with these bytes, whose name might not be on the disk yet. The former file is the previous generation.
    case renamed(Data)
  }

  // The dispatcher's turn guards the four properties below.

  /// The store if it has changed since the last snapshot. This reference keeps the store alive until the change is saved, or
  /// until the keeper forgets the store.
  var pending: S?

  /// The value before time travel, until the store reduces its next state, and the versions of the store's variables then.
  private var beforeTravel: (value: S.Saved, versions: [ObjectIdentifier: Version]?)?

  /// Whether the store has reduced a state since the last snapshot, or has to be written again.
  var hasReduced = false

  /// The versions of the store's variables at the last snapshot, or nil if they don't show each change.
  private var versions: [ObjectIdentifier: Version]?

  // After `attach`, only the passes of the keeper use the properties below.

  /// The value to write. The store must live until the value is written.
  var snapshot: (store: S?, value: S.Saved)?

  var written = Written.unknown(keepsPrevious: false)

  init(
    _ fileName: FileName,
    in place: URL,
    on dispatcher: Dispatcher,
    schedule: @escaping @Sendable (_ isRetry: Bool) -> Void
  ) {
    self.fileName = fileName
    self.place = place
    self.dispatcher = dispatcher
    self.schedule = schedule
  }

  func belongs(to other: any Persistable) -> Bool { store === other }

  var anyStore: (any Persistable)? { store }

  var url: URL { place.appendingPathComponent(fileName.current) }

  func encode(_ value: S.Saved) throws(KeeperFailure.Cause) -> Data { try archive.data(for: value) }

  /// Whether the store can be saved. Otherwise, its changes are not noted.
  var canBeSaved: Bool { true }

  func takeSnapshot(ifChanged isOnlyIfChanged: Bool) {
    guard canBeSaved else { return }
    watcher?.reset(on: dispatcher)
    guard let store = pending.take() ?? (isOnlyIfChanged ? nil : store) else { return }
    // A snapshot that doesn't encode is cheaper. So a store that has reduced nothing is compared by its variables' versions,
    // if they suffice.
    let newVersions = StoreContents(of: store).versions
    let isUnchanged = newVersions != nil && newVersions == versions
    if isUnchanged, !hasReduced { return releaseAfterUnlocking(store) }
    (versions, hasReduced) = (newVersions, false)
    snapshot = (store, beforeTravel?.value ?? store.saved)
  }

  func retrySnapshot() {
    releaseAfterUnlocking((pending, snapshot))
    if !canBeSaved { (pending, snapshot) = (nil, nil) }
    guard let snapshot else { return }
    if let store = snapshot.store { (self.snapshot, pending, hasReduced) = (nil, store, true) }
    schedule(true)
  }
}

extension KeptStore {
  /// Links this object to a new store, which no other thread can use yet.
  ///
  /// - Parameters:
  ///   - restored: The value that was restored, or nil if nothing has been saved yet.
  ///   - former: The constant `saved` of a deallocated store with the same file, which continues.
  ///   - savesTimeTravel: Whether time travel is a change like any other.
  /// - Returns: The watcher to register with the store.
  func attach(
    to store: S,
    with restored: S.Saved?,
    after former: Variable<S.Saved>?,
    savesTimeTravel: Bool
  ) -> StoreWatcher {
    self.store = store
    let current = store.saved
    let value = restored ?? current
    releaseAfterUnlocking((former?.value, current))
    if let former, !areSame(former.value, value) { former.value = value }
    saved = former ?? Variable(value)
    if case .unknown = written, !hasReduced, let data = try? encode(value) { written = .read(data) }
    // A store may restore another value, for example one with a new id.
    if let restored, !areSame(restored, current), !isReordered(current) { hasReduced = true }
    self.savesTimeTravel = savesTimeTravel
    versions = StoreContents(of: store).versions
    let watcher = StoreWatcher { [weak self] change in
      // The thread holds the dispatcher's turn, and might have the last references.
      releaseAfterUnlocking((self, self?.store))
      self?.note(change)
    }
    self.watcher = watcher
    return watcher
  }

  private func note(_ change: StoreWatcher.Change) {
    let isTravel = change == .travel && !savesTimeTravel
    let store = store
    if isTravel, beforeTravel == nil, let store {
      beforeTravel = (store.saved, StoreContents(of: store).versions)
    }
    if change == .endOfTravel, let former = beforeTravel, let store {
      // The travel has changed only other stores, or has led back.
      let isOther = former.versions != nil && former.versions == StoreContents(of: store).versions
      let value = isOther ? former.value : store.saved
      releaseAfterUnlocking((former, value))
      if isOther || areSame(former.value, value) { beforeTravel = nil }
    }
    if isTravel || change == .endOfTravel || change == .transaction && beforeTravel != nil {
      // Only a reduce ends the travel, and must be noted.
      watcher?.reset(on: dispatcher)
      return
    }
    releaseAfterUnlocking(beforeTravel.take())
    guard canBeSaved else { return }
    if let store { pending = store }
    if change != .transaction { hasReduced = true }
    schedule(false)
  }

  /// Whether two values are encoded as the same bytes. A `==` might ignore a property.
  func areSame(_ first: S.Saved, _ second: S.Saved) -> Bool {
    if areCopies(first, second) { return true }
    guard let first = try? encode(first), let second = try? encode(second) else { return false }
    return first == second
  }

  /// Whether the file or the storage has a value already, perhaps with a set in another order.
  func isWritten(_ data: Data, of value: S.Saved) -> Bool {
    switch written {
    case .contents(data), .read(data): true
    case .read: isReordered(value)
    case .contents, .unknown, .renamed: false
    }
  }

  /// Whether a value is the one that was read, with a set in another order. An object might have changed since.
  private func isReordered(_ value: S.Saved) -> Bool {
    guard case .read(let data) = written, let saved = saved?.value else { return false }
    releaseAfterUnlocking(saved)
    return data == (try? encode(saved)) && AnyOrder(coder: archive.coder).areSame(saved, value)
  }

  /// Forgets the snapshot after it was written.
  func forgetSnapshot() {
    let snapshot = snapshot.take()
    withExtendedLifetime(snapshot?.store) {}
  }

  func failure(_ error: any Error) -> KeeperFailure { KeeperFailure(url, archive.version, error) }
}

// MARK: - Restoring

extension KeptStore {
  /// Returns a store with the value in a file's contents, or a new store if there are no contents.
  ///
  /// - Parameters:
  ///   - url: The file, for failures.
  ///   - makeStore: A closure that creates a store, and restores a value if there is one.
  func store(
    _ data: Data?,
    from url: URL,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S {
    var value: (value: S.Saved, version: Int)?
    if let data { value = try self.value(of: data, from: url) }
    releaseAfterUnlocking(value)
    // The next save writes the newest version. Earlier contents might have been refused.
    hasReduced = value.map { $0.version != archive.version } ?? false
    written = .unknown(keepsPrevious: false)
    // The value can be an object, so it's encoded before it changes.
    if let data, let value, !hasReduced, let encoded = try? encode(value.value) {
      if isRepeatable(data, encoded) { written = .read(encoded) } else { hasReduced = true }
    }
    do {
      return try makeStore(value?.value)
    } catch {
      throw refusal(error, of: url, value?.version)
    }
  }

  /// Whether the next launch restores the same value from the contents, instead of one with another new id or date.
  ///
  /// - Parameter encoded: The value that was restored, as this process encodes it.
  private func isRepeatable(_ data: Data, _ encoded: Data) -> Bool {
    guard data != encoded, let envelope = try? Envelope(data), let first = try? Envelope(encoded)
    else { return true }
    if envelope.saved == first.saved { return true }
    guard let value = try? archive.value(in: envelope) else { return false }
    releaseAfterUnlocking(value)
    // The same set has the same bytes in another order.
    let next = (try? encode(value)).flatMap { try? Envelope($0) }
    return next?.saved.sorted() == first.saved.sorted()
  }

  func refusal(_ error: any Error, of url: URL, _ version: Int?) -> KeeperFailure {
    releaseAfterUnlocking(error)
    return KeeperFailure(url, version, KeeperFailure.Cause.refused(describe(error)))
  }

  func value(
    of data: Data,
    from url: URL
  ) throws(KeeperFailure) -> (value: S.Saved, version: Int) {
    var version: Int?
    do {
      let envelope = try Envelope(data)
      version = envelope.version
      return (try archive.value(in: envelope), envelope.version)
    } catch {
      throw KeeperFailure(url, version, error)
    }
  }
}

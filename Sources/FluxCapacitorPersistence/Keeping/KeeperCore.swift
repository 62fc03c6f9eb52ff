import Dispatch
import FluxCapacitor
import Foundation

/// The stores and the folder of a keeper.
///
/// A change of a store starts a timer. When the timer ends, the keeper's queue makes a *pass*: it reads the
/// changed stores in one turn of the dispatcher, encodes their values, and writes their files. Only one pass
/// runs at a time, because the queue is serial.
final class KeeperCore: @unchecked Sendable {
  /// The stores that a pass saves. After the last pass, which saves all stores, the keeper is closed.
  enum Scope { case changed, all, last }

  let directory: URL
  let dispatcher: Dispatcher
  let role: Keeper.Role
  let failure = Variable<KeeperFailure?>(nil)

  private let maximumDelay: Duration
  private let clock: any Clock<Duration>
  let savesTimeTravel: Bool
  private let queue = DispatchQueue(
    label: "FluxCapacitorPersistence.Keeper",
    qos: .utility,
    target: .global(qos: .utility)
  )

  // `lock` guards the properties below. A thread that holds the dispatcher's turn may take the lock, but a
  // thread that holds the lock never waits for the turn.
  let lock = Lock()

  /// The open folder, or nil after the keeper was closed.
  var folder: Folder?

  /// The stores by the names of their archives. The keys are lowercase, because some file systems ignore case.
  var stores: [String: any AnyKeptStore] = [:]

  private var isPassRunning = false

  /// The numbers of the running timers. A change and the retry of a failed save have a timer each, because a
  /// retry waits longer.
  private var timers: [Bool: Int] = [:]
  private var lastTimer = 0

  /// Whether a pass of a follower waits in the queue.
  private var isAdoptionQueued = false

  /// Whether the keeper was deallocated. Until the last change is saved, the timer keeps this object alive.
  private var keeperWasReleased = false

  /// The number of passes that have failed since the last success.
  private var failedPasses = 0

  /// The watch on the folder of another keeper.
  private var watch: AnyObject?

  init(
    _ directory: URL,
    _ role: Keeper.Role,
    _ dispatcher: Dispatcher,
    _ maximumDelay: Duration,
    _ clock: any Clock<Duration>,
    savesTimeTravel: Bool,
    _ system: any FileSystem
  ) throws(KeeperFailure) {
    let folder = try Folder(directory, system, isWriter: role == .saving)
    self.directory = folder.url
    self.role = role
    self.dispatcher = dispatcher
    self.maximumDelay = maximumDelay
    self.clock = clock
    self.savesTimeTravel = savesTimeTravel
    self.folder = folder
    guard role == .following else { return }
    do throws(SystemError) {
      watch = try folder.watch { [weak self] in self?.folderDidChange() }
    } catch {
      // Stores can be restored nevertheless, and `flush` reads the files again.
      failure.value = KeeperFailure(folder.url, nil, error)
    }
  }

  var closedFailure: KeeperFailure {
    KeeperFailure(directory, nil, KeeperFailure.Cause.closed)
  }
}

// MARK: - Scheduling passes

extension KeeperCore {
  /// Starts a timer for the next pass, unless such a timer is running.
  func scheduleSave(isRetry: Bool) {
    let started: (number: Int, delay: Duration, owner: KeeperCore?)? = lock.withLock {
      guard folder != nil, timers[isRetry] == nil else { return nil }
      lastTimer += 1
      timers[isRetry] = lastTimer
      let longest = Duration.seconds(Int64.max >> 6)
      let retryDelay =
        min(max(maximumDelay, .milliseconds(100)), longest) * (1 << min(failedPasses, 6))
      return (lastTimer, isRetry ? retryDelay : maximumDelay, keeperWasReleased ? self : nil)
    }
    guard let (number, delay, owner) = started else { return }
    // The task ends by itself after the delay. If the keeper was released, only `owner` keeps this object alive.
    Task.detached(priority: .utility) { [weak self, clock] in
      try? await clock.sleep(for: delay)
      self?.timerDidEnd(number)
      withExtendedLifetime(owner) {}
    }
  }

  private func timerDidEnd(_ number: Int) {
    queue.send { [self] in
      let scope: Scope? = lock.withLock {
        // If another pass has begun since, it has read all changes.
        if !timers.values.contains(number) { return nil }
        return keeperWasReleased ? .last : .changed
      }
      if let scope { _ = runPass(scope) }
    }
  }

  /// Runs a pass, and waits until it has ended.
  func pass(_ scope: Scope) async throws(KeeperFailure) {
    let failure = await withCheckedContinuation { continuation in
      queue.send { [self] in continuation.resume(returning: runPass(scope)) }
    }
    if let failure { throw failure }
  }

  /// Saves the remaining changes after the keeper was deallocated, and then releases the folder.
  func keeperWillDeinit() {
    let (folder, watch) = lock.withLock {
      keeperWasReleased = true
      // If a pass is running, it might fail, and then the changes need another pass.
      let folder = timers.isEmpty && !isPassRunning ? self.folder.take() : nil
      return (folder, self.watch.take())
    }
    if folder == nil { queue.send { [self] in _ = runPass(.last) } }
    withExtendedLifetime(watch) {}
  }
}

// MARK: - Passes

extension KeeperCore {
  /// Saves the stores or, if the keeper follows, restores them. Returns the first failure.
  private func runPass(_ scope: Scope) -> KeeperFailure? {
    let folder = lock.withLock {
      // A change from now on starts a new timer.
      timers = [:]
      isPassRunning = true
      isAdoptionQueued = false
      return self.folder
    }
    // You may close a keeper twice, but you can't flush a closed keeper.
    guard let folder else { return scope == .all ? closedFailure : nil }
    let failures: [KeeperFailure] =
      switch (role, scope) {
      case (.saving, _): save(scope, to: folder)
      case (.following, .last): []
      case (.following, _): adopt(from: folder)
      }
    lock.withLock { isPassRunning = false }
    if scope == .last, failures.isEmpty { release() }
    if failure.value != failures.first { failure.value = failures.first }
    return failures.first
  }

  /// The stores in the order of their names, because the order of a dictionary varies.
  private var sortedStores: [any AnyKeptStore] {
    lock.withLock { stores.sorted { $0.key < $1.key }.map(\.value) }
  }

  private func save(_ scope: Scope, to folder: Folder) -> [KeeperFailure] {
    let stores = dispatcher.read {
      let stores = sortedStores
      for store in stores {
        store.takeSnapshot(ifChanged: scope == .changed, isLast: scope == .last)
      }
      return stores
    }
    var failures: [KeeperFailure] = []
    for store in stores {
      do throws(KeeperFailure) {
        try store.writeSnapshot(to: folder)
      } catch {
        failures.append(error)
      }
    }
    lock.withLock { failedPasses = failures.isEmpty ? 0 : failedPasses + 1 }
    if !failures.isEmpty { dispatcher.read { for store in stores { store.retrySnapshot() } } }
    return failures
  }

  private func release() {
    // This thread releases the contents after unlocking, because a store's `deinit` is user code.
    let contents = lock.withLock {
      defer { stores = [:] }
      return (folder.take(), watch.take(), stores)
    }
    withExtendedLifetime(contents) {}
  }
}

// MARK: - Following

extension KeeperCore {
  /// Queues a pass, unless a queued pass will read the files anyway.
  func folderDidChange() {
    let isFirst = lock.withLock {
      defer { isAdoptionQueued = true }
      return !isAdoptionQueued
    }
    if isFirst { queue.send { [weak self] in _ = self?.runPass(.changed) } }
  }

  /// Restores the stores whose files have changed, in one transaction.
  private func adopt(from folder: Folder) -> [KeeperFailure] {
    var failures: [KeeperFailure] = []
    var restorations: [() throws(KeeperFailure) -> Void] = []
    for store in sortedStores {
      do throws(KeeperFailure) {
        if let restore = try store.readChangedFile(in: folder) { restorations.append(restore) }
      } catch {
        failures.append(error)
      }
    }
    if !restorations.isEmpty {
      dispatcher.transaction {
        for restore in restorations {
          do throws(KeeperFailure) { try restore() } catch { failures.append(error) }
        }
      }
    }
    return failures
  }
}

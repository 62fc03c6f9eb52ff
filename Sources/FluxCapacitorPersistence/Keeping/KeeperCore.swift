import Dispatch
import FluxCapacitor
import Foundation

/// The stores and the folder of a keeper.
///
/// A change of a store starts a timer. When the timer ends, the keeper's queue makes a *pass*: it reads the
/// changed stores in one turn of the dispatcher, encodes their values, and writes their files. Only one pass
/// runs at a time, because the queue is serial.
final class KeeperCore: @unchecked Sendable {
  /// The stores that a pass saves.
  enum Scope: Equatable {
    case changed, all

    /// All stores. Afterward, the keeper is closed.
    case last

    /// The store with a key. Afterward, the key is closed, unless it was opened again after that call of `open`.
    case one(FileName, opening: Int?)

    var isOne: Bool { if case .one = self { true } else { false } }
  }

  let directory: URL
  let dispatcher: Dispatcher
  let role: Keeper.Role
  let failure = Variable<KeeperFailure?>(nil)

  private let maximumDelay: Duration
  private let clock: any Clock<Duration>
  let savesTimeTravel: Bool
  let system: any FileSystem

  /// The queue of the passes. A pass has the priority of the task that waits for it, or of the timer. All keepers share
  /// the threads of the global queue.
  let queue = DispatchQueue(label: "FluxCapacitorPersistence.Keeper", target: .global())

  // `lock` guards the properties below. A thread that holds the dispatcher's turn may take the lock, but a
  // thread that holds the lock never waits for the turn.
  let lock = Lock()

  /// The open folder, or nil after the keeper was closed.
  var folder: Folder?

  /// The stores by the names of their files. The names are lowercase, because some file systems ignore case.
  var stores: [String: any AnyKeptStore] = [:]

  /// The number of the last call of `open`.
  var lastOpening = 0

  /// The names of the stores that threads are opening.
  var openings: Set<String> = []

  /// The names in `stores` without a key. Each `flush` reads these stores.
  var namesWithoutKey: [String] = []

  /// The names in `stores` with a key whose stores have changed since the last pass or, if the keeper follows, the names of
  /// all files that were replaced. A keeper may have thousands of keys, so a pass reads only these.
  var changedNames: Set<String> = []

  /// Whether any file might have been replaced, which a keeper that follows has to read.
  var mayHaveChangedAll = false

  /// The callers of `flush` that share the next pass, each with the file that it needs, or nil if it needs all files.
  var flushes: [(name: FileName?, caller: CheckedContinuation<KeeperFailure?, Never>)] = []

  var isPassRunning = false

  /// The numbers of the running timers. A change and the retry of a failed save have a timer each, because a
  /// retry waits longer.
  var timers: [Bool: Int] = [:]
  private var lastTimer = 0

  /// Whether a pass of a follower waits in the queue.
  var isAdoptionQueued = false

  /// Whether the keeper was deallocated. Until the last change is saved, the timer keeps this object alive.
  var keeperWasReleased = false

  /// The number of passes that have failed since the last success.
  var failedPasses = 0

  /// The watch on the folder of another keeper, or nil if it hasn't begun yet.
  var watch: AnyObject?

  /// The reason why there is no watch. Stores can be restored nevertheless, and `flush` reads the files again.
  var watchFailure: KeeperFailure?

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
    self.maximumDelay = maximumDelay.clamped
    self.clock = clock
    self.savesTimeTravel = savesTimeTravel
    self.folder = folder
    self.system = system
    beginWatch(of: folder)
    failure.value = watchFailure
  }

  var closedFailure: KeeperFailure {
    KeeperFailure(directory, nil, KeeperFailure.Cause.closed)
  }
}

// MARK: - Scheduling passes

extension KeeperCore {
  /// Notes the change of a store, and starts a timer for the next pass, unless such a timer is running.
  ///
  /// - Parameter name: The store's file, or nil for a pass that has failed as a whole.
  func scheduleSave(of name: FileName?, isRetry: Bool) {
    let started: (number: Int, delay: Duration, owner: KeeperCore?)? = lock.withLock {
      if let name, name.hasKey || role == .following { changedNames.insert(name.inTable) }
      guard folder != nil, timers[isRetry] == nil else { return nil }
      lastTimer += 1
      timers[isRetry] = lastTimer
      let retryDelay = max(maximumDelay, .milliseconds(100)) * (1 << min(failedPasses, 6))
      let delay = isRetry ? retryDelay.clamped : maximumDelay
      return (lastTimer, delay, keeperWasReleased ? self : nil)
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
        guard let timer = timers.first(where: { $0.value == number }) else { return nil }
        timers[timer.key] = nil
        // The pass begins here, so that a release of the keeper meanwhile doesn't close the folder.
        isPassRunning = true
        return keeperWasReleased ? .last : .changed
      }
      if let scope { _ = runPass(scope) }
    }
  }

  /// Waits until a pass that begins after the call has ended. Calls that wait at the same time share a pass.
  ///
  /// - Parameter name: The file whose failure the method throws, or nil to throw the failure of any file.
  func flush(_ name: FileName? = nil) async throws(KeeperFailure) {
    let failure = await withCheckedContinuation { continuation in
      let isFirst = lock.withLock {
        flushes.append((name, continuation))
        if role == .following {
          if let name { changedNames.insert(name.inTable) } else { mayHaveChangedAll = true }
        }
        return flushes.count == 1
      }
      if isFirst { queue.send { [self] in _ = runPass(.all) } }
    }
    if let failure { throw failure }
  }

  /// Saves and forgets a store with a key.
  func close(_ name: FileName) async throws(KeeperFailure) {
    try await pass(.one(name, opening: lock.withLock { stores[name.inTable]?.opening }))
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
      // These timers don't keep this object alive, as those of the next passes have to.
      timers = [:]
      return (folder, self.watch.take())
    }
    if folder == nil { queue.send { [self] in _ = runPass(.last) } }
    withExtendedLifetime(watch) {}
  }
}

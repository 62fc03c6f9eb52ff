import FluxCapacitor
import Foundation

/// The stores of a keeper, which a subclass saves to files or to a storage.
///
/// A change of a store starts a timer. When the timer ends, the keeper makes a *pass*: it reads the changed stores in one
/// turn of the dispatcher, encodes their values, and writes them. Only one pass runs at a time.
class KeeperCore: @unchecked Sendable {
  /// The stores that a pass saves.
  enum Scope: Equatable {
    case changed, all

    /// All stores. Afterward, the keeper is closed.
    case last

    /// The store with a key. Afterward, the key is closed, unless it was opened again after that call of `open`.
    case one(FileName, opening: Int?)

    var isOne: Bool { if case .one = self { true } else { false } }

    /// Whether the stores are forgotten afterward.
    var isLast: Bool { isOne || self == .last }
  }

  /// A failure with the name of the file that it concerns, or with nil if it concerns all files.
  typealias PassFailure = (name: FileName?, failure: KeeperFailure)

  /// A caller of `flush` with the file that it needs, or nil if it needs all files.
  typealias Caller = (name: FileName?, continuation: CheckedContinuation<KeeperFailure?, Never>)

  /// The folder, or a name for the storage.
  let place: URL
  let dispatcher: Dispatcher
  let role: Keeper.Role
  let failure = Variable<KeeperFailure?>(nil)

  private let maximumDelay: Duration
  private let clock: any Clock<Duration>
  let savesTimeTravel: Bool

  // `lock` guards the properties below. A thread that holds the dispatcher's turn may take the lock, but a
  // thread that holds the lock never waits for the turn.
  let lock = Lock()

  /// The stores by the names of their files. The names are lowercase, because some file systems ignore case.
  var stores: [String: any AnyKeptStore] = [:]

  /// The number of the last call of `open`.
  var lastOpening = 0

  /// The stores that threads are opening, by the names of their files.
  var openings: [String: Opening] = [:]

  /// The names in `stores` without a key. Each `flush` reads these stores.
  var namesWithoutKey: [String] = []

  /// The names in `stores` with a key that the next pass has to read: their stores have changed since the last pass, or a
  /// flush needs them or, if the keeper follows, their files were replaced. A keeper may have thousands of keys.
  var changedNames: Set<String> = []

  /// The callers of `flush` that share the next pass.
  var flushes: [Caller] = []

  var isPassRunning = false

  /// The running timers. A change and the retry of a failed save have a timer each, because a retry waits longer.
  var timers: [Bool: (number: Int, task: Task<Void, Never>)] = [:]
  private var lastTimer = 0

  /// Whether the keeper was deallocated. Until the last change is saved, the timer keeps this object alive.
  private(set) var keeperWasReleased = false

  /// The number of passes that have failed since the last success.
  var failedPasses = 0

  init(
    _ place: URL,
    _ role: Keeper.Role,
    _ dispatcher: Dispatcher,
    _ maximumDelay: Duration,
    _ clock: any Clock<Duration>,
    savesTimeTravel: Bool
  ) {
    self.place = place
    self.role = role
    self.dispatcher = dispatcher
    self.maximumDelay = maximumDelay.clamped
    self.clock = clock
    self.savesTimeTravel = savesTimeTravel
  }

  // MARK: - The part of the subclasses

  /// Whether the keeper isn't closed. The caller must hold the lock.
  var isOpen: Bool { trapIsAbstract() }

  /// Forgets the folder or the storage. The caller must hold the lock, and releases the result after unlocking.
  func takePlace() -> Any { trapIsAbstract() }

  /// A failure of the whole keeper that doesn't fail the passes.
  var standingFailure: KeeperFailure? { nil }

  /// Runs a pass after the passes that were sent before.
  ///
  /// - Parameters:
  ///   - scope: Returns the stores that the pass saves, or nil if no pass is necessary any more.
  ///   - completion: Receives the first failure.
  func sendPass(
    _ scope: @escaping @Sendable () -> Scope?,
    then completion: @escaping @Sendable (KeeperFailure?) -> Void = { _ in }
  ) { trapIsAbstract() }

  private func trapIsAbstract() -> Never { trap("\(type(of: self)) doesn't say where it saves.") }
}

// MARK: - Scheduling passes

extension KeeperCore {
  /// Notes the change of a store, and starts a timer for the next pass, unless such a timer is running.
  ///
  /// - Parameter name: The store's file, or nil for a pass that has failed as a whole.
  func scheduleSave(of name: FileName?, isRetry: Bool) {
    lock.withLock {
      if let name, name.hasKey || role == .following { changedNames.insert(name.inTable) }
      guard isOpen, timers[isRetry] == nil else { return }
      lastTimer += 1
      let retryDelay = max(maximumDelay, .milliseconds(100)) * (1 << min(failedPasses, 6))
      let delay = isRetry ? retryDelay.clamped : maximumDelay
      // If the keeper was released, only `owner` keeps this object alive.
      let (number, owner) = (lastTimer, keeperWasReleased ? self : nil)
      let task = Task.detached(priority: .utility) { [weak self, clock] in
        try? await clock.sleep(for: delay)
        if !Task.isCancelled { self?.timerDidEnd(number) }
        withExtendedLifetime(owner) {}
      }
      timers[isRetry] = (number, task)
    }
  }

  private func timerDidEnd(_ number: Int) {
    sendPass { [self] in
      lock.withLock {
        // If another pass has begun since, it has read all changes.
        guard let timer = timers.first(where: { $0.value.number == number }) else { return nil }
        timers[timer.key] = nil
        // The pass begins here, so that a release of the keeper meanwhile doesn't close the folder.
        isPassRunning = true
        return keeperWasReleased ? .last : .changed
      }
    }
  }

  /// Waits until a pass that begins after the call has ended. Calls that wait at the same time share a pass.
  ///
  /// - Parameter name: The file whose failure the method throws, or nil to throw the failure of any file.
  func flush(_ name: FileName? = nil) async throws(KeeperFailure) {
    let failure = await withCheckedContinuation { continuation in
      let isFirst = lock.withLock {
        flushes.append((name, continuation))
        return flushes.count == 1
      }
      if isFirst { sendPass { .all } }
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
      sendPass {
        scope
      } then: { failure in
        continuation.resume(returning: failure)
      }
    }
    if let failure { throw failure }
  }

  /// Saves the remaining changes after the keeper was deallocated, and then releases the folder.
  func keeperWillDeinit() {
    let (place, tasks): (Any?, [Task<Void, Never>]) = lock.withLock {
      keeperWasReleased = true
      // These timers don't keep this object alive, as those of the next passes have to.
      defer { timers = [:] }
      // If a pass is running, it might fail, and then the changes need another pass.
      let place = timers.isEmpty && !isPassRunning ? takePlace() : nil
      return (place, timers.values.map(\.task))
    }
    for task in tasks { task.cancel() }
    if place == nil { sendPass { .last } }
    withExtendedLifetime(place) {}
  }
}

#if canImport(Dispatch)
  import Dispatch
#endif

/// Runs operations under one policy for each key, so that operations with different keys don't affect each other.
///
/// A store can give each document, row or client its own effects, without keeping a list of them:
///
/// ```swift
/// struct PhotoAction: Actionable {
///   typealias DispatchStateType = Dispatcher.Photos
///
///   let load: @Sendable (_ id: Int) async -> Photo
///
///   func show(_ id: Int) {
///     PhotoStore.instantiate().loads[id].run { effect in
///       invoke(.loaded(await load(id)), as: effect)
///     }
///   }
/// }
/// ```
///
/// In this example, the store has `let loads = KeyedEffects<Int>(.first)`. So several photos are loaded at the same time,
/// but none twice at once. To limit each client's rate of requests, use `.atMost(10, per: .seconds(1))` and the client's
/// address as the key.
///
/// ``subscript(_:)`` returns a key's ``Effects``. A key is remembered while you keep its effects, an operation is in
/// progress, or somebody observes ``Effects/isRunning``. Under ``Effects/Policy/atMost(_:per:)``, it is also remembered
/// while operations that have begun still count. Then it is forgotten, and costs nothing; if only its limit still counted,
/// this happens at a later use of any key. If a view's body reads `loads[id].isRunning.value`, it is drawn again when an
/// operation of the key begins.
///
/// You can use a `KeyedEffects` on any thread. If it is deallocated, its operations are cancelled, except those of an
/// ``Effects`` that you keep.
public final class KeyedEffects<Key: Hashable & Sendable>: @unchecked Sendable {
  private struct Member {
    weak let queue: EffectQueue?
    weak let effects: Effects?
  }

  private let policy: Effects.Policy

  // `lock` guards the properties below. A key's `hash(into:)` and `==` are called under the lock. No key and no `Effects`
  // is released under it, because a `deinit` of an `Effects` takes the lock.
  private let lock = Lock()

  /// The effects that exist.
  private var members: [Key: Member] = [:]

  /// The counts of keys without effects. A view that has read `isRunning` waits for each of them to change.
  private var awaited: [Key: Variable<Int>] = [:]

  /// The number of these counts at which those are forgotten for which no view waits any more.
  private var awaitedLimit = 32

  /// The effects with an operation in progress, and the number of these operations.
  private var held: [ObjectIdentifier: (effects: Effects, count: Int)] = [:]

  /// The beginnings that count for the policy `.atMost`, with their effects, in order.
  private var limited = FIFO<Limited>()

  private final class Limited {
    let effects: Effects
    let isLimited: @Sendable () -> Bool

    init(_ effects: Effects, _ isLimited: @escaping @Sendable () -> Bool) {
      self.effects = effects
      self.isLimited = isLimited
    }
  }

  /// Creates effects that run each key's operations under a policy.
  ///
  /// - Precondition: The limit of ``Effects/Policy/concurrent(_:)`` and of ``Effects/Policy/atMost(_:per:)`` is at least 1,
  ///   and the duration is positive.
  ///
  /// - Parameter policy: Decides what happens to a new operation while an earlier one with the same key is in progress.
  public init(_ policy: Effects.Policy = .latest) {
    policy.check()
    self.policy = policy
  }

  /// A key's effects.
  ///
  /// - Complexity: O(1), amortized.
  public subscript(key: Key) -> Effects {
    forgetUnlimited()
    return lock.withLock {
      if let effects = members[key]?.effects { return effects }
      let queue =
        members[key]?.queue
        ?? EffectQueue(policy, count: awaited[key] ?? Variable(0)) { [weak self] count in
          self?.forget(key, count)
        }
      let effects = Effects(queue, membership: Membership(family: self))
      members[key] = Member(queue: queue, effects: effects)
      return effects
    }
  }

  /// Cancels the operations of all keys, as ``Effects/cancel()`` does.
  public func cancel() {
    recordOperation("cancels effects")
    for queue in queues { queue.cancel() }
  }

  /// Supersedes the operations of all keys, as ``Effects/supersede()`` does.
  public func supersede() {
    recordOperation("supersedes effects")
    for queue in queues { queue.supersede() }
  }

  private var queues: [EffectQueue] { lock.withLock { members.values.compactMap(\.queue) } }

  /// Forgets a key when its queue is deallocated, unless the key already has a new queue, or a view waits for the count.
  private func forget(_ key: Key, _ count: Variable<Int>) {
    releaseAfterUnlocking(self)
    let isAwaited = count.channel.isAwaited
    let (hasOtherCount, released): (Bool, [Any?]) = lock.withLock {
      let queue = members[key]?.queue
      let member = queue == nil ? members.index(forKey: key).map { members.remove(at: $0) } : nil
      let other = awaited[key]
      var released: [Any?] = [queue, member, other]
      if queue != nil || other != nil && other !== count { return (true, released) }
      if isAwaited {
        awaited[key] = count
      } else if let index = awaited.index(forKey: key) {
        released.append(awaited.remove(at: index))
      }
      if awaited.count >= awaitedLimit {
        released.append(awaited)
        awaited = awaited.filter { $0.value.channel.isAwaited }
        awaitedLimit = max(32, 2 * awaited.count)
      }
      return (false, released)
    }
    // A view that waits has to read the other count. This can be the view's body, which waits only after its end.
    if isAwaited, hasOtherCount { DispatchQueue.main.send { count.value += 0 } }
    releaseAfterUnlocking(released)
  }

  /// Releases the effects of beginnings that no longer count. The clocks are user code, so they are read without the lock.
  private func forgetUnlimited() {
    while let first = lock.withLock({ limited.isEmpty ? nil : limited[0] }), !first.isLimited() {
      releaseAfterUnlocking(first)
      lock.withLock {
        if !limited.isEmpty, limited[0] === first { _ = limited.popFirst() }
      }
    }
  }
}

extension KeyedEffects: EffectFamily {
  func hold(_ effects: Effects) {
    lock.withLock { held[ObjectIdentifier(effects), default: (effects, 0)].count += 1 }
  }

  func release(_ id: ObjectIdentifier) {
    let effects = lock.withLock {
      held[id]?.count -= 1
      return held[id]?.count == 0 ? held.removeValue(forKey: id)?.effects : nil
    }
    releaseAfterUnlocking(effects)
  }

  func keep(_ id: ObjectIdentifier, while isLimited: @escaping @Sendable () -> Bool) {
    lock.withLock {
      if let effects = held[id]?.effects { limited.append(Limited(effects, isLimited)) }
    }
  }
}

/// What an `Effects` knows of its `KeyedEffects`.
protocol EffectFamily: AnyObject, Sendable {
  /// Keeps a member for an operation, until the call of `release`.
  func hold(_ member: Effects)
  func release(_ member: ObjectIdentifier)

  /// Keeps a held member for longer, while a condition is true.
  func keep(_ member: ObjectIdentifier, while isLimited: @escaping @Sendable () -> Bool)
}

struct Membership: Sendable {
  weak let family: (any EffectFamily)?
}

/// Effects for each key: one policy, and operations that supersede or await only operations of the same key.
///
/// A store gives each document, row or client effects of its own, without keeping a list of them:
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
/// Here, the store has `let loads = KeyedEffects<Int>(.first)`, so each photo is loaded once at a time, and several photos
/// are loaded at the same time. With `.atMost(10, per: .seconds(1))` and the client's address as the key, the effects are a
/// rate limit of each client.
///
/// ``subscript(_:)`` returns an ``Effects``. It exists as long as you keep it, an operation is in progress or, under
/// ``Effects/Policy/atMost(_:per:)``, operations that have begun still count. Then the key is forgotten, and costs nothing.
/// If a key only counts for its limit, it is forgotten at a later use of any key.
///
/// You can use a `KeyedEffects` on any thread. If it is deallocated, its operations are cancelled.
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

  /// Creates effects that run operations under a policy for each key.
  ///
  /// - Precondition: The limit of ``Effects/Policy/concurrent(_:)`` and of ``Effects/Policy/atMost(_:per:)`` is at least 1,
  ///   and the duration is positive.
  ///
  /// - Parameter policy: The rule for a new operation while an earlier operation of the same key is in progress.
  public init(_ policy: Effects.Policy = .latest) {
    policy.check()
    self.policy = policy
  }

  /// The effects of a key.
  ///
  /// - Complexity: O(1), amortized.
  public subscript(key: Key) -> Effects {
    forgetUnlimited()
    return lock.withLock {
      if let effects = members[key]?.effects { return effects }
      let queue = members[key]?.queue ?? EffectQueue(policy) { [weak self] in self?.forget(key) }
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

  /// Forgets a key when its queue is deallocated, unless the key already has a new one.
  private func forget(_ key: Key) {
    let remains: (queue: EffectQueue?, key: Key?)? = lock.withLock {
      guard let index = members.index(forKey: key) else { return nil }
      if let queue = members[index].value.queue { return (queue, nil) }
      return (nil, members.remove(at: index).key)
    }
    withExtendedLifetime(remains) {}
  }

  /// Releases the effects of beginnings that no longer count. The clocks are user code, so they are read without the lock.
  private func forgetUnlimited() {
    while let first = lock.withLock({ limited.isEmpty ? nil : limited[0] }), !first.isLimited() {
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
    withExtendedLifetime(effects) {}
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

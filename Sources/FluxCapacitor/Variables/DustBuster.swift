/// A bag of ``Dust`` and tasks. It cleans the Dust and cancels the tasks when you call `clean()`, and when it is
/// deallocated.
///
/// Keep a bag in an object whose observations should end with it:
///
/// ```swift
/// final class CounterView: Sendable {
///   private let dustBuster = DustBuster()
///
///   init(counter: Constant<Int>) {
///     counter
///       .observe { print("The counter stands at \($0).") }
///       .cleaned(by: dustBuster)
///   }
/// }
/// ```
///
/// You can use a bag on any thread, and use it again after `clean()`.
public final class DustBuster: @unchecked Sendable {
  // `lock` guards `dusts` and `limit`.
  private let lock = Lock()
  private var dusts: [Dust] = []

  /// The number of elements at which an insertion removes the Dust that has ended. Each removal sets the
  /// limit to twice the number of remaining elements. So a bag that is never cleaned doesn't collect
  /// ended Dust without limit, and each insertion is amortized O(1).
  private var limit = DustBuster.firstLimit

  private static let firstLimit = 16

  /// Creates an empty bag.
  public init() {}

  deinit { clean() }

  /// Puts Dust into the bag, which keeps it until you clean either the bag or the Dust.
  ///
  /// - Complexity: Amortized O(1) for each Dust.
  public func insert(_ dusts: Dust...) { insert(dusts) }

  /// Puts Dust into the bag, which keeps it until you clean either the bag or the Dust.
  ///
  /// - Complexity: Amortized O(1) for each Dust.
  public func insert(_ dusts: [Dust]) {
    lock.lock()
    self.dusts += dusts
    let former = self.dusts.count >= limit ? prune() : []
    lock.unlock()
    // Release the former contents after unlocking, because a deinit might run user code.
    withExtendedLifetime(former) {}
  }

  /// Removes the Dust that has ended. The caller must hold `lock`.
  ///
  /// - Returns: The former contents of the bag, which the caller has to release after unlocking.
  private func prune() -> [Dust] {
    let seen = dusts
    dusts = seen.filter { !$0.isOver }
    limit = max(DustBuster.firstLimit, dusts.count * 2)
    return seen
  }

  /// Cleans all Dust in the bag, and cancels its tasks. What is inserted during this call stays in the bag.
  ///
  /// See ``Dust/clean()`` for the guarantees. Dust leaves the bag when its cleaning has ended, and if two threads clean a
  /// bag at the same time, each of them cleans everything in it. So when this method returns on any thread, every task that
  /// was in the bag is cancelled or has ended.
  ///
  /// - Complexity: O(n) in the number of observations in the bag.
  public func clean() {
    // `map` copies the storage, because the thread sanitizer can't see how threads hand over a shared
    // array.
    let older = lock.withLock { dusts.map(\.self) }
    for dust in older { dust.clean() }
    let former = lock.withLock { prune() }
    withExtendedLifetime(former) {}
  }
}

extension Dust {
  /// Puts this Dust into a bag, which cleans it when you clean the bag, or when the bag is deallocated.
  ///
  /// - Complexity: Amortized O(1).
  public final func cleaned(by dustBuster: DustBuster) { dustBuster.insert(self) }
}

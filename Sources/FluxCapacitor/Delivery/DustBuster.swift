/// A bag that cleans its ``Dust`` when you call `clean()`, and when the bag is deallocated.
///
/// You can use a bag from any thread, and again after `clean()`.
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
public final class DustBuster: @unchecked Sendable {
  // `lock` guards `dusts` and `limit`.
  private let lock = Lock()
  @exclusivity(unchecked) private var dusts: [Dust] = []

  /// The count at which the bag removes Dust that is over: twice the count that the last removal has left. So
  /// a bag that is never cleaned holds at most twice the Dust that is alive. An insertion is amortized O(1).
  @exclusivity(unchecked) private var limit = DustBuster.firstLimit

  private static let firstLimit = 16

  /// Creates an empty bag.
  public init() {}

  deinit { clean() }

  /// Puts Dust into the bag, which keeps it until the Dust is cleaned, either with the bag or by itself.
  ///
  /// - Complexity: O(1) for each Dust, amortized.
  public func insert(_ dusts: Dust...) { insert(dusts) }

  /// Puts Dust into the bag, which keeps it until the Dust is cleaned, either with the bag or by itself.
  ///
  /// - Complexity: O(1) for each Dust, amortized.
  public func insert(_ dusts: [Dust]) {
    lock.lock()
    self.dusts += dusts
    let former = self.dusts.count >= limit ? prune() : []
    lock.unlock()
    // Release the former contents after unlocking, because a deinit may run user code.
    withExtendedLifetime(former) {}
  }

  /// Removes the Dust that is over. The lock must be held.
  ///
  /// - Returns: The former contents of the bag, to be released after unlocking.
  private func prune() -> [Dust] {
    let seen = dusts
    dusts = seen.filter { !$0.isOver }
    limit = max(DustBuster.firstLimit, dusts.count * 2)
    return seen
  }

  /// Cleans and removes all Dust in the bag. Dust that is inserted meanwhile stays in the bag.
  ///
  /// See ``Dust/clean()`` for the guarantees. Dust stays in the bag until its cleaning is over. If another
  /// thread cleans the bag meanwhile, it cleans this Dust too. So when this method returns, on any thread,
  /// every task that was in the bag before is cancelled, unless it has ended.
  ///
  /// - Complexity: O(n) in the number of observations.
  public func clean() {
    // This makes a separate copy: the thread sanitizer can't see how a shared array is handed over.
    let older = lock.withLock { dusts.map(\.self) }
    for dust in older {
      dust.end()
      // Another thread may have started to clean it and not be finished yet.
      dust.finishCleaning()
    }
    var yields = Dust.yieldsToCalls
    for dust in older { dust.waitForPreparedCalls(&yields) }
    let former = lock.withLock { prune() }
    withExtendedLifetime(former) {}
  }
}

extension Dust {
  /// Puts this Dust into a bag, which cleans it when the bag is cleaned or deallocated.
  ///
  /// - Complexity: O(1), amortized.
  public final func cleaned(by dustBuster: DustBuster) { dustBuster.insert(self) }
}

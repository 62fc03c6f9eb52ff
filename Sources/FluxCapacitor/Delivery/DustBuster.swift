/// A bag of ``Dust`` that cleans everything in it on `clean()`, and when the bag is deallocated.
///
/// You can use it from any thread, and again after `clean()`.
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
  // Both guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var dusts: [Dust] = []

  /// At which count Dust that is over is removed: twice what the last removal has left. So a bag
  /// that is never cleaned holds at most twice what is alive, at amortized O(1) an insertion.
  @exclusivity(unchecked) private var limit = DustBuster.firstLimit

  private static let firstLimit = 16

  /// Creates an empty bag.
  public init() {}

  deinit { clean() }

  /// Puts Dust into the bag, which keeps it until it is cleaned, either with the bag or by itself.
  ///
  /// - Complexity: O(1) each, amortized.
  public func insert(_ dusts: Dust...) { insert(dusts) }

  /// Puts Dust into the bag, which keeps it until it is cleaned, either with the bag or by itself.
  ///
  /// - Complexity: O(1) each, amortized.
  public func insert(_ dusts: [Dust]) {
    lock.lock()
    self.dusts += dusts
    let former = self.dusts.count >= limit ? prune() : []
    lock.unlock()
    // Released after unlocking, because a deinit may run user code.
    withExtendedLifetime(former) {}
  }

  /// Removes the Dust that is over. The lock must be held.
  ///
  /// - Returns: What was in the bag before, to be released after unlocking.
  private func prune() -> [Dust] {
    let seen = dusts
    dusts = seen.filter { !$0.isOver }
    limit = max(DustBuster.firstLimit, dusts.count * 2)
    return seen
  }

  /// Cleans everything in the bag and empties it; what is inserted meanwhile stays in it.
  ///
  /// See ``Dust/clean()`` for what holds afterwards. What is being cleaned stays in the bag until it is
  /// over, and a thread that cleans the bag meanwhile cleans it too. So when this returns, on any
  /// thread, every task that was in the bag before, and that has not ended, is cancelled.
  ///
  /// - Complexity: O(n) in the number of observations.
  public func clean() {
    // A copy of its own: the thread sanitizer can't see how a shared one is handed over.
    let older = lock.withLock { dusts.map(\.self) }
    for dust in older {
      dust.end()
      // Another thread may have begun to clean it, and not be done yet.
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

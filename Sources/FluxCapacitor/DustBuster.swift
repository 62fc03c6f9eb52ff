/// A bag of ``Dust`` that cleans it all: on `clean()`, and when the bag itself goes away.
///
/// It may be used from any thread, and again after `clean()`.
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
  // `dusts` is guarded by `lock`.
  private let lock = Lock()
  @exclusivity(unchecked) private var dusts: [Dust] = []

  /// An empty bag.
  public init() {}

  deinit {
    clean()
  }

  /// Puts Dust into the bag.
  ///
  /// - Complexity: O(1) each, amortised.
  public func insert(_ dusts: Dust...) {
    insert(dusts)
  }

  /// Puts Dust into the bag.
  ///
  /// - Complexity: O(1) each, amortised.
  public func insert(_ dusts: [Dust]) {
    lock.withLock { self.dusts += dusts }
  }

  /// Cleans what is in the bag, which is empty then; what is inserted meanwhile stays in it.
  ///
  /// See ``Dust/clean()`` for what holds afterwards.
  ///
  /// - Complexity: O(n) in the number of observations.
  public func clean() {
    var taken: [Dust] = []
    lock.withLock { swap(&taken, &dusts) }
    var mayBeCalled = false
    for dust in taken where dust.end() { mayBeCalled = true }
    if mayBeCalled { Dust.letCallsStart(of: taken) }
  }
}

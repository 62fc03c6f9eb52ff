import FluxCapacitor
import Testing

/// Gives each test a dispatcher of its own; see `.isolatedDispatcher`.
public struct IsolatedDispatcherTrait: TestTrait, SuiteTrait, TestScoping {
  /// The trait; see `.isolatedDispatcher`.
  public init() {}

  /// Tests of a suite that has the trait have it too.
  public var isRecursive: Bool { true }

  /// A scope for each test case, and none for the suites around them.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  /// Runs a test case with a dispatcher of its own in the place of `Dispatcher.shared`.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let dispatcher = Dispatcher()
    // What begins from now on is accounted for, should the test ask whether it has settled.
    let guardian = dispatcher.add(Witness { _ in })
    let isolation = Strays.shared.begin(dispatcher, for: test)
    defer {
      guardian.clean()
      Strays.shared.end(isolation)
    }
    try await withDispatcher(dispatcher, operation: function)
  }
}

extension Trait where Self == IsolatedDispatcherTrait {
  /// A dispatcher of its own for each test, and for each case of a parameterised one.
  ///
  /// Inside the test, and in its child tasks, `Dispatcher.shared` is that dispatcher: so stores are
  /// the test's own, and tests run in parallel. On a suite, it holds for every test in it, and for what
  /// the suite's properties are set to, which is made for each test.
  ///
  /// ```swift
  /// @Suite(.isolatedDispatcher)
  /// struct CounterTests {
  ///   @Test func incrementing() {
  ///     let store = CounterStore.instantiate()
  ///     CounterAction().increment()
  ///     #expect(store.count.value == 1)
  ///   }
  /// }
  /// ```
  ///
  /// Work that leaves the task, on a dispatch queue or in a detached task, is back at the process's
  /// dispatcher, unless its action keeps the one that was shared when it was made:
  ///
  /// ```swift
  /// final class DownloadAction: Actionable {
  ///   typealias DispatchStateType = Dispatcher.Counter
  ///
  ///   let dispatcher = Dispatcher.shared
  ///
  ///   func download() {
  ///     DispatchQueue.global().async { self.invoke(.add(1)) }
  ///   }
  /// }
  /// ```
  ///
  /// A state that reaches the process's dispatcher from outside any test's task is reported, if it
  /// reaches no store there, or an isolated test has a store for it. It fails that test or, if it can't
  /// be told which one it came from, the run. So give the trait to all tests that invoke, or to none.
  public static var isolatedDispatcher: Self { Self() }
}

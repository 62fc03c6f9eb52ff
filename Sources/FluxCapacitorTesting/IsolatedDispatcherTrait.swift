import FluxCapacitor
import Testing

/// Gives each test its own dispatcher; see `.isolatedDispatcher`.
public struct IsolatedDispatcherTrait: TestTrait, SuiteTrait, TestScoping {
  /// Creates the trait; see `.isolatedDispatcher`.
  public init() {}

  /// `true`, because the tests in a suite with the trait have the trait too.
  public var isRecursive: Bool { true }

  /// Returns a scope for each test case, and none for the suites around it.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  /// Runs a test case with its own dispatcher in place of `Dispatcher.shared`.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let dispatcher = Dispatcher()
    // With a hook, the dispatcher keeps track of its work, in case the test calls `settled()`.
    let hook = dispatcher.addHook { _ in }
    let isolation = EscapedDispatches.shared.begin(dispatcher, for: test)
    defer {
      hook.clean()
      EscapedDispatches.shared.end(isolation)
    }
    try await withDispatcher(dispatcher, operation: function)
  }
}

extension Trait where Self == IsolatedDispatcherTrait {
  /// Gives each test, and each case of a parameterized one, its own dispatcher.
  ///
  /// Inside the test, and in its child tasks, `Dispatcher.shared` is that dispatcher. So the stores
  /// are the test's own, and tests can run in parallel. On a suite, this applies to every test in
  /// it, and to the initial values of the suite's properties, which are created for each test.
  ///
  /// ```swift
  /// @Suite(.isolatedDispatcher)
  /// struct CounterTests {
  ///   @Test func incrementAddsOneToTheCount() {
  ///     let store = CounterStore.instantiate()
  ///     CounterAction().increment()
  ///     #expect(store.count.value == 1)
  ///   }
  /// }
  /// ```
  ///
  /// Work that leaves the task, on a dispatch queue or in a detached task, uses the process-wide dispatcher
  /// again. To prevent this, keep the dispatcher that is shared when the action is created:
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
  /// A state may reach the process-wide dispatcher from outside any test's task. It is reported if it reaches
  /// no store there, or if an isolated test has a store for it. The report fails that test or, if it isn't
  /// known which test the state came from, the run. So give the trait to all tests that invoke states, or to
  /// none.
  public static var isolatedDispatcher: Self { Self() }
}

import FluxCapacitor
import Testing

/// A trait that gives each test its own dispatcher. See `.isolatedDispatcher`.
public struct IsolatedDispatcherTrait: TestTrait, SuiteTrait, TestScoping {
  /// Creates the trait. See `.isolatedDispatcher`.
  public init() {}

  /// Always `true`, because every test in a suite with this trait also has the trait.
  public var isRecursive: Bool { true }

  /// Returns a scope for a test case, and nil for a suite.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  /// Runs a test case with a new dispatcher, which replaces `Dispatcher.shared` for the test case.
  public func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    let dispatcher = Dispatcher(reportingUnreachedStates: false)
    // The hook makes the dispatcher track the calls of observers, so that `settled()` waits for them.
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
  /// Gives each test, and each case of a parameterized test, its own dispatcher.
  ///
  /// So each test has its own stores, and tests can run in parallel. In the test and its child tasks, `Dispatcher.shared`
  /// is the test's dispatcher. A suite passes the trait on to all its tests:
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
  /// The initial values of the suite's properties also use the test's dispatcher, because Swift Testing creates an instance
  /// of the suite for each test.
  ///
  /// Work on a dispatch queue of your own or in a detached task doesn't belong to the test's task, so it uses the
  /// process-wide dispatcher. To make it use the test's dispatcher, store `Dispatcher.shared` in the action when you create
  /// the action:
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
  /// The trait reports states that reach the process-wide dispatcher from outside any test's task, if they reach no store,
  /// or if an isolated test has a store for them. The report fails the test that is the state's likely origin or, if no
  /// single test is, the run. So give the trait either to all tests that invoke states or to no test.
  public static var isolatedDispatcher: Self { Self() }
}

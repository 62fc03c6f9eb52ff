import FluxCapacitor
import FluxCapacitorTesting
import Foundation
import Testing

// The code of the section "Interleavings" in the article on testing.

extension Dispatcher {
  enum Door: DispatchState {
    typealias RelatedStoreType = DoorStore
    typealias RelatedActionType = DoorAction

    case set(Int)
    case enter
  }
}

final class DoorStore: Storable {
  var visitors: Constant<Int> { _visitors.constant }
  private let _visitors = Variable(0)

  func reduce(with state: Dispatcher.Door) {
    switch state {
    case .set(let visitors): _visitors.value = visitors
    case .enter: _visitors.value += 1
    }
  }
}

struct DoorAction: Actionable {
  typealias DispatchStateType = Dispatcher.Door

  func enter(_ store: DoorStore) {
    invoke(.set(store.visitors.value + 1))
  }
}

#if DEBUG
  @Suite(LostUpdate())
  struct DoorTests {
    @Test func storeCountsTwoVisitorsThatEnterConcurrently() async {
      await everyInterleaving { scenario in
        let store = DoorStore.instantiate()
        for _ in 1...2 {
          scenario.thread { DoorAction().enter(store) }
        }
        scenario.check { #expect(store.visitors.value == 2) }
      }
    }
  }

  /// A trait that expects each test of a suite to fail with the message that the article quotes.
  private struct LostUpdate: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
      testCase == nil ? nil : self
    }

    func provideScope(
      for test: Test,
      testCase: Test.Case?,
      performing function: @Sendable () async throws -> Void
    ) async throws {
      let sentences = Sentences()
      let trait = IssueHandlingTrait.compactMapIssues { issue in
        guard case .unconditional = issue.kind else { return issue }
        sentences.append(issue.comments.map(\.rawValue).joined())
        return nil
      }
      try await trait.provideScope(for: test, testCase: testCase, performing: function)

      let failure = sentences.all.last ?? ""
      // On Linux, a failure contains source locations in every version of the system.
      #if os(Linux)
        let quotation =
          failure
          .replacing("InterleavingSnippets.swift", with: "Door.swift")
          .replacing(#/\(\S+ at .* steps?\)/#, with: "(…)")
        #expect(
          quotation == """
            Schedule 4 fails: Expectation failed: (store.visitors.value → 1) == 2

            thread 1:
              Door.swift:34: invoke(.set(store.visitors.value + 1))
                reads visitors: 0 (…)
                invokes .set(1) (…)
            thread 2:
              Door.swift:34: invoke(.set(store.visitors.value + 1))
                reads visitors: 0 (…)
                invokes .set(1) (…)
            thread 1:
              Door.swift:24: case .set(let visitors): _visitors.value = visitors
                sets visitors to 1 (…)
            thread 2:
              Door.swift:34: invoke(.set(store.visitors.value + 1))
                continues: invokes .set(1) (…)
              Door.swift:24: case .set(let visitors): _visitors.value = visitors
                sets visitors to 1 (…)

            To run it again: everyInterleaving(replaying: "1×11 2×5 1×3 2×7")
            """
        )
      #else
        #expect(failure.hasPrefix("Schedule 4 fails: "))
      #endif
    }
  }

  @Test func reduceCountsTwoVisitorsThatEnterConcurrently() async {
    await everyInterleaving { scenario in
      let store = DoorStore.instantiate()
      for _ in 1...2 {
        scenario.thread { DoorAction().invoke(.enter) }
      }
      scenario.check { #expect(store.visitors.value == 2) }
    }
  }

  @Test func concurrentIncrementsAreNotLost() {
    everyInterleaving { scenario in
      let store = CounterStore.instantiate()
      for _ in 1...2 {
        scenario.thread { CounterAction().increment() }
      }
      scenario.check { #expect(store.count.value == 2) }
    }
  }

  @Suite struct AsynchronousInterleavingTests {
    @Test func concurrentIncrementsAreNotLost() async {
      await everyInterleaving { scenario in
        let store = CounterStore.instantiate()
        for _ in 1...2 {
          scenario.thread { CounterAction().increment() }
        }
        scenario.check { #expect(store.count.value == 2) }
      }
    }
  }

  @Suite struct RandomInterleavingTests {
    @Test func increments() {
      everyInterleaving(random: 1_000, seed: 7) { scenario in
        let store = CounterStore.instantiate()
        for _ in 1...4 {
          scenario.thread { CounterAction().increment() }
        }
        scenario.check { #expect(store.count.value == 4) }
      }
    }
  }

  private final class Sentences: @unchecked Sendable {
    // `sentences` is guarded by `lock`.
    private let lock = NSLock()
    private var sentences: [String] = []

    var all: [String] { lock.withLock { sentences } }

    func append(_ sentence: String) { lock.withLock { sentences.append(sentence) } }
  }
#endif

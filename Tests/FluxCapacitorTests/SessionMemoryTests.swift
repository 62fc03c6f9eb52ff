#if os(Linux)
  import FluxCapacitor
  import Foundation
  import Testing

  /// Promise B14: a server can have many sessions, each with a dispatcher and stores of many types.
  @Suite(.timeLimit(.minutes(20)))
  struct SessionMemoryTests {
    /// About half of the memory belongs to the stores, and the rest to their routes.
    @Test(.disabled(if: isSanitized, "The thread sanitizer takes memory for each object."))
    func sessionWithStoresOfTwentyTypesTakesAtMost16Kilobytes() async {
      await #expect(processExitsWith: .success) {
        var sessions = [session()]

        let before = residentBytes()
        for _ in 1...1_000 { sessions.append(session()) }
        let bytes = (residentBytes() - before) / 1_000

        #expect(bytes < 16_000)
        #expect(before > 0)
      }
    }
  }

  private func session() -> (Dispatcher, [AnyObject]) {
    let dispatcher = Dispatcher()
    return (dispatcher, makeStores(Int.self, 20, on: dispatcher))
  }

  /// Instantiates stores of different types of states.
  private func makeStores<Inner: Sendable>(
    _: Inner.Type,
    _ count: Int,
    on dispatcher: Dispatcher
  ) -> [AnyObject] {
    if count == 0 { return [] }
    let store = PartStore<Inner>.instantiate(on: dispatcher)
    return [store] + makeStores(Part<Inner>.self, count - 1, on: dispatcher)
  }

  private enum Part<Inner: Sendable>: DispatchState {
    typealias RelatedStoreType = PartStore<Inner>
  }

  private final class PartStore<Inner: Sendable>: Storable {
    func reduce(with _: Part<Inner>) {}
  }

  /// Whether the thread sanitizer watches this process.
  private var isSanitized: Bool { dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil }
#endif

// These tests run on Linux only, because `Compiler` finds the toolchain in `/proc/self/maps`.
#if os(Linux)
  import Foundation
  import Testing

  /// Tests that the compiler reports the messages in the table of the article on getting started, and that
  /// the fixes in the table compile.
  @Suite(.timeLimit(.minutes(20)))
  struct FirstErrorsTests {
    struct Mistake: Sendable {
      let message: String
      let wrong: String
      let right: String
    }

    private static let mistakes = [
      Mistake(
        message: "protocol requires nested type 'DispatchStateType'",
        wrong: "func reduce(state: Dispatcher.Counter) {}",
        right: "func reduce(with state: Dispatcher.Counter) {}"
      ),
      Mistake(
        message: "recursive enum 'Dispatcher.Board' is not marked 'indirect'",
        wrong: "case add(Board)",
        right: "case add(FluxCapacitor.Board)"
      ),
      Mistake(
        message:
          "stored property '_count' of 'Sendable'-conforming class 'CounterStore' is mutable",
        wrong: "private var _count = Variable(0)",
        right: "private let _count = Variable(0)"
      ),
      Mistake(
        message: "left side of mutating operator isn't mutable: 'value' is a get-only property",
        wrong: "store.count.value += 1",
        right: "Invoker<Dispatcher.Counter>().invoke(.add(1))"
      ),
      Mistake(
        message:
          "main actor-isolated instance method 'show' cannot be called from outside of the actor",
        wrong: "guard let self else { return }; Task { self.show(value) }",
        right: "Task { @MainActor in self?.show(value) }"
      ),
      Mistake(
        message: "result of call to 'observe(on:ignoreFirst:changes:)' is unused",
        wrong: "store.count.observe { print($0) }",
        right: "store.count.observe { print($0) }.cleaned(by: dustBuster)"
      ),
    ]

    @Test(arguments: mistakes.indices)
    func compilerReportsTheMessageInTheArticle(index: Int) async throws {
      let mistake = Self.mistakes[index]
      let article = try Repository.text(
        of: "Sources/FluxCapacitor/FluxCapacitor.docc/Reference/Troubleshooting.md"
      )

      let output = try await typecheck(
        Self.application.replacingOccurrences(of: mistake.right, with: mistake.wrong)
      )

      #expect(Self.application.contains(mistake.right))
      #expect(article.contains("| `\(mistake.message)` |"))
      #expect(output.text.contains(mistake.message), "\(output.text)")
    }

    @Test func fixesInTheArticleCompile() async throws {
      let output = try await typecheck(Self.application)

      #expect(output.isSuccess, "\(output.text)")
      #expect(!output.text.contains("warning:"), "\(output.text)")
    }

    private static let application = """
      struct Board { let cells: [Int] }

      extension Dispatcher {
        enum Counter: DispatchState {
          typealias RelatedStoreType = CounterStore
          case add(Int)
        }

        enum Board: DispatchState {
          typealias RelatedStoreType = BoardStore
          case add(FluxCapacitor.Board)
        }
      }

      final class CounterStore: Storable {
        let count: Constant<Int>
        private let _count = Variable(0)
        init() { count = Constant(_count) }
        func reduce(with state: Dispatcher.Counter) {}
      }

      final class BoardStore: Storable {
        init() {}
        func reduce(with state: Dispatcher.Board) {}
      }

      @MainActor
      final class CounterView {
        private let store = CounterStore.instantiate()
        private let dustBuster = DustBuster()

        func start() {
          store.count.observe { print($0) }.cleaned(by: dustBuster)
          store.count
            .observe { [weak self] value in
              Task { @MainActor in self?.show(value) }
            }
            .cleaned(by: dustBuster)
        }

        func add() { Invoker<Dispatcher.Counter>().invoke(.add(1)) }

        func show(_ count: Int) {}
      }
      """

    /// Type-checks an application's file as if it were a file of the library.
    private func typecheck(_ application: String) async throws -> Compiler.Output {
      try await Compiler.withFolder { folder in
        let file = folder.appendingPathComponent("Application.swift")
        try application.write(to: file, atomically: true, encoding: .utf8)
        return try await Compiler.swiftc(
          ["-frontend", "-typecheck", "-swift-version", "6", "-module-name", "FluxCapacitor"]
            + ["-package-name", "FluxCapacitor", "-parse-as-library", "-primary-file", file.path]
            + Compiler.librarySources
        )
      }
    }
  }
#endif

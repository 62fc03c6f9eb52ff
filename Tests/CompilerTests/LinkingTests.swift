// These tests run on Linux only, because `Compiler` finds the toolchain in `/proc/self/maps`.
#if os(Linux)
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct LinkingTests {
    @Test func stateCompilesWhenItsStoreAndActionLinkBackToTheState() async throws {
      let output = try await typecheck(store: "OtherStore", action: "OtherAction")

      #expect(output.isSuccess, "\(output.text)")
    }

    @Test(arguments: [
      // The state `Other` is linked to the store of `Counter`.
      (
        "CounterStore", "OtherAction",
        "'OtherAction.DispatchStateType' (aka 'Other') and 'Counter' be equivalent"
      ),
      // The state `Other` is linked to the action of `Counter`.
      (
        "OtherStore", "CounterAction",
        "'Other' and 'CounterAction.DispatchStateType' (aka 'Counter') be equivalent"
      ),
      // The state `Other` is linked to the store and to the action of `Counter`.
      (
        "CounterStore", "CounterAction",
        "'Other' and 'CounterAction.DispatchStateType' (aka 'Counter') be equivalent"
      ),
    ])
    func stateDoesNotCompileWhenItsStoreOrActionLinksToAnotherState(
      store: String,
      action: String,
      requirement: String
    ) async throws {
      let output = try await typecheck(store: store, action: action)

      #expect(!output.isSuccess)
      #expect(
        output.text.contains("error: type 'Other' does not conform to protocol 'DispatchState'"),
        "\(output.text)"
      )
      #expect(
        output.text.contains("error: 'DispatchState' requires the types \(requirement)"),
        "\(output.text)"
      )
    }

    @Test(arguments: [
      ("Int", "OtherAction", "RelatedStoreType"), ("OtherStore", "Int", "RelatedActionType"),
    ])
    func stateDoesNotCompileWhenItsStoreOrActionIsAnUnrelatedType(
      store: String,
      action: String,
      associatedType: String
    ) async throws {
      let output = try await typecheck(store: store, action: action)

      #expect(!output.isSuccess)
      #expect(
        output.text.contains("note: protocol requires nested type '\(associatedType)'"),
        "\(output.text)"
      )
    }

    @Test func compilerReportsTheErrorsThatTheMigrationGuideQuotes() async throws {
      let quotation = """
        error: type 'Other' does not conform to protocol 'DispatchState'
        error: 'DispatchState' requires the types 'Other' and 'CounterAction.DispatchStateType' (aka 'Counter') be equivalent
        """

      let output = try await typecheck(store: "OtherStore", action: "CounterAction")

      for line in quotation.split(separator: "\n") {
        #expect(output.text.contains(line), "\(output.text)")
      }
    }

    /// Type-checks an application's file as if it were a file of the library.
    ///
    /// The type check needs no built module of the library, because build systems put such modules into
    /// different folders.
    private func typecheck(store: String, action: String) async throws -> Compiler.Output {
      try await Compiler.withFolder { folder in
        let file = folder.appendingPathComponent("Application.swift")
        try application(store: store, action: action)
          .write(to: file, atomically: true, encoding: .utf8)
        return try await Compiler.swiftc(
          ["-frontend", "-typecheck", "-swift-version", "6", "-module-name", "FluxCapacitor"]
            + ["-package-name", "FluxCapacitor", "-parse-as-library", "-primary-file", file.path]
            + Compiler.librarySources
        )
      }
    }

    private func application(store: String, action: String) -> String {
      """
      enum Counter: DispatchState {
        typealias RelatedStoreType = CounterStore
        typealias RelatedActionType = CounterAction
        case add(Int)
      }

      final class CounterStore: Storable {
        init() {}
        func reduce(with state: Counter) {}
      }

      final class CounterAction: Actionable {
        typealias DispatchStateType = Counter
      }

      enum Other: DispatchState {
        typealias RelatedStoreType = \(store)
        typealias RelatedActionType = \(action)
        case add(Int)
      }

      final class OtherStore: Storable {
        init() {}
        func reduce(with state: Other) {}
      }

      final class OtherAction: Actionable {
        typealias DispatchStateType = Other
      }
      """
    }
  }
#endif

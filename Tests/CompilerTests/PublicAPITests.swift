#if os(Linux)
  import Foundation
  import Testing

  /// Tests of the public API, which `PublicAPI.txt` lists. Each change to the API also changes this file, so
  /// that a reviewer notices the change.
  @Suite(.timeLimit(.minutes(20)))
  struct PublicAPITests {
    private static let modules = [
      "FluxCapacitor", "FluxCapacitorTesting", "FluxCapacitorDebugging",
      "FluxCapacitorPersistence",
    ]

    private static let baseline = "Tests/CompilerTests/PublicAPI.txt"

    @Test func publicAPIMatchesTheBaselineFile() async throws {
      let graphs = try await SymbolGraph.graphs(of: Self.modules)
      let lines = graphs.flatMap(\.lines).sorted()
      if ProcessInfo.processInfo.environment["UPDATE_PUBLIC_API"] != nil {
        let file = Repository.root.appendingPathComponent(Self.baseline)
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
      }

      let expected = try Repository.text(of: Self.baseline).split(separator: "\n").map(String.init)

      let difference = lines.difference(from: expected).map { change in
        switch change {
        case .insert(_, let line, _): "+ \(line)"
        case .remove(_, let line, _): "- \(line)"
        }
      }
      #expect(
        difference.isEmpty,
        """
        The public API has changed. If that is meant, write it down by
        UPDATE_PUBLIC_API=1 swift test --filter PublicAPITests
        \(difference.joined(separator: "\n"))
        """
      )
    }

    @Test func documentsMentionEveryPublicSymbol() throws {
      let words = try Repository.documents.map(Repository.text(of:))
        .flatMap { $0.split { !$0.isLetter && !$0.isNumber } }
      let mentioned = Set(words)
      let lines = try Repository.text(of: Self.baseline).split(separator: "\n")

      let missing = lines.filter { !$0.contains(" conforms to ") }.compactMap { line -> String? in
        // A line is, for example, "FluxCapacitor Effects.Policy.first: case first".
        let symbol = line.split(separator: " ")[1].prefix { $0 != ":" && $0 != "(" }
        let names = symbol.split(separator: ".").filter { !Self.unnamed.contains(String($0)) }
        guard let name = names.last, !Self.required.contains(String(name)) else { return nil }
        return mentioned.contains(name) ? nil : String(symbol)
      }

      #expect(missing == [])
    }

    /// The last components of symbols that code doesn't name. The documents mention the type.
    private static let unnamed: Set = ["init", "subscript", "callAsFunction"]

    /// The names that protocols of Swift and Foundation require, and that users of the library don't write.
    private static let required: Set = [
      "Failure", "Iterator", "makeAsyncIterator", "next", "errorDescription", "customMirror",
      "debugDescription", "<", "Instant", "advanced", "duration", "offset", "minimumResolution",
      "scopeProvider",
      "provideScope", "isRecursive", "buildArray", "buildBlock", "buildEither", "buildExpression",
      "buildOptional",
    ]

    @Test func everyPublicSymbolIsDocumented() async throws {
      let graphs = try await SymbolGraph.graphs(of: Self.modules)

      for graph in graphs {
        #expect(graph.undocumented == [], "in \(graph.module)")
      }
    }
  }

  /// The part of a compiler's symbol graph that these tests need.
  private struct SymbolGraph {
    let module: String
    private let file: File

    /// Returns the symbol graphs of modules, including their extensions to other modules.
    static func graphs(of modules: [String]) async throws -> [SymbolGraph] {
      let bin = try #require(Compiler.toolchain).appendingPathComponent("bin")
      // The build system puts the modules into the folder `Modules` beside the running executable.
      let built = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("Modules")
      return try await Compiler.withFolder { folder in
        for module in modules {
          let output = try await Compiler.run(
            bin.appendingPathComponent("swift-symbolgraph-extract"),
            ["-module-name", module, "-I", built.path, "-target", target]
              + ["-minimum-access-level", "public", "-skip-synthesized-members"]
              + ["-output-dir", folder.path]
          )
          try #require(output.isSuccess, "\(output.text)")
        }
        let files = try FileManager.default
          .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { file in
          let name = file.lastPathComponent.split(separator: ".")[0].split(separator: "@")[0]
          let graph = try JSONDecoder().decode(File.self, from: Data(contentsOf: file))
          return SymbolGraph(module: String(name), file: graph)
        }
      }
    }

    #if arch(arm64)
      private static let target = "aarch64-unknown-linux-gnu"
    #else
      private static let target = "x86_64-unknown-linux-gnu"
    #endif

    /// One line for each symbol and for each conformance of a type to a protocol.
    var lines: [String] {
      file.symbols.map { "\(module) \($0.name): \($0.declaration)" }
        + file.relationships.compactMap { relationship in
          guard relationship.kind == "conformsTo" else { return nil }
          let type = name(of: relationship.source) ?? relationship.source
          let target = relationship.targetFallback ?? name(of: relationship.target)
          // Each `Sendable` type also conforms to `SendableMetatype`.
          if target == "Swift.SendableMetatype" { return nil }
          return "\(module) \(type) conforms to \(target ?? relationship.target)"
        }
    }

    var undocumented: [String] {
      file.symbols.filter { $0.docComment == nil }.map { "\($0.name): \($0.declaration)" }
    }

    private func name(of identifier: String) -> String? {
      file.symbols.first { $0.identifier.precise == identifier }?.name
    }

    private struct File: Decodable {
      let symbols: [Symbol]
      let relationships: [Relationship]
    }

    private struct Symbol: Decodable {
      struct Identifier: Decodable {
        let precise: String
      }

      struct Fragment: Decodable {
        let spelling: String
      }

      struct Extension: Decodable {
        let constraints: [Constraint]?
      }

      struct Constraint: Decodable {
        let kind: String
        let lhs: String
        let rhs: String
      }

      struct Comment: Decodable {}

      let identifier: Identifier
      let pathComponents: [String]
      let declarationFragments: [Fragment]
      let swiftExtension: Extension?
      let docComment: Comment?

      var name: String { pathComponents.joined(separator: ".") }

      var declaration: String {
        let constraints = (swiftExtension?.constraints ?? []).filter { $0.rhs != "Sendable" }
          .map { "\($0.lhs) \($0.kind == "sameType" ? "==" : ":") \($0.rhs)" }
        let text = declarationFragments.map(\.spelling).joined()
          .split { $0.isWhitespace }.joined(separator: " ")
        return constraints.isEmpty
          ? text : "\(text) [\(constraints.sorted().joined(separator: ", "))]"
      }
    }

    private struct Relationship: Decodable {
      let kind: String
      let source: String
      let target: String
      let targetFallback: String?
    }
  }
#endif

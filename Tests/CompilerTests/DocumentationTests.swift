import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DocumentationTests {
  private let readme: Markdown

  init() throws {
    readme = try Markdown(Repository.text(of: "README.md"))
  }

  private static let guide =
    "Sources/FluxCapacitor/FluxCapacitor.docc/TestingYourStoresAndActions.md"

  private static let debuggingGuide =
    "Sources/FluxCapacitor/FluxCapacitor.docc/SeeingAndRewindingTheFlow.md"

  @Test(arguments: ["README.md", "MIGRATION.md", guide, debuggingGuide])
  func swiftBlocksStandInCompiledFiles(document: String) throws {
    try expectBlocksInCompiledFiles(of: Markdown(Repository.text(of: document)), in: document)
  }

  @Test(arguments: [
    "Actionable", "BufferingPolicy", "DispatchState", "Dispatcher", "Dispatcher+Intercept",
    "Dispatcher+States", "Dust",
    "DustBuster", "PrimitiveValue", "PrimitiveValue+Bindings", "PrimitiveValue+Changes",
    "PrimitiveValue+Derived", "PrimitiveValue+Scope", "PrimitiveValue+Values",
    "Queryable", "Signal", "Sink", "Storable", "Storable+WaitFor", "Task+DustBuster", "Values",
  ])
  func swiftBlocksInDocCommentsStandInCompiledFiles(name: String) throws {
    let file = "Sources/FluxCapacitor/\(name).swift"
    let comments = try Markdown(ofDocCommentsIn: Repository.text(of: file))
    try expectBlocksInCompiledFiles(of: comments, in: file)
  }

  @Test(arguments: [
    "DispatchRecorder", "Dispatcher+Settled", "ExpectStates", "Gate", "IsolatedDispatcherTrait",
    "ManualClock", "StoreTester", "ValueRecorder",
  ])
  func swiftBlocksInDocCommentsOfTheTestingLibraryStandInCompiledFiles(name: String) throws {
    let file = "Sources/FluxCapacitorTesting/\(name).swift"
    let comments = try Markdown(ofDocCommentsIn: Repository.text(of: file))
    try expectBlocksInCompiledFiles(of: comments, in: file)
  }

  @Test(arguments: ["DispatchLogger", "FlowExplorer", "RecordedFlow", "Secret", "TimeCircuits"])
  func swiftBlocksInDocCommentsOfTheDebuggingLibraryStandInCompiledFiles(name: String) throws {
    let file = "Sources/FluxCapacitorDebugging/\(name).swift"
    let comments = try Markdown(ofDocCommentsIn: Repository.text(of: file))
    try expectBlocksInCompiledFiles(of: comments, in: file)
  }

  @Test(arguments: [
    ("swift before", "import Fluxor", true),
    ("swift before", "import Combine\nimport Fluxor", true),
    ("swift before", "import Combine", false),
    ("swift before", "import Fluxor\nimport FluxCapacitor", false),
    ("swift before", "let store = CounterStore.instantiate()", false),
    ("swift after", "import Fluxor", false),
    ("swift", "import Fluxor", false),
  ])
  func onlyTheCodeOfAPeerNeedNotCompile(language: String, code: String, isOfAPeer: Bool) throws {
    let block = try #require(Markdown("```\(language)\n\(code)\n```").blocks.first)

    #expect(block.isSwift)
    #expect(block.isOfAPeer == isOfAPeer)
  }

  @Test(arguments: ["README.md", "MIGRATION.md"])
  func linksLeadSomewhere(document: String) throws {
    let markdown = try Markdown(Repository.text(of: document))

    #expect(!markdown.links.isEmpty)
    for link in markdown.links where !link.hasPrefix("https://") {
      let isThere =
        link.hasPrefix("#")
        ? markdown.anchors.count { $0 == link.dropFirst() } == 1
        : FileManager.default.fileExists(atPath: Repository.root.path + "/" + link)
      #expect(isThere, "\(link), in \(document)")
    }
  }

  @Test func readmeIsShort() {
    #expect(readme.wordCount <= 500)
  }

  @Test func readmeStartsWithCode() throws {
    let first = try #require(readme.blocks.first)

    #expect(first.language == "swift")
    #expect(first.line <= 15)
  }

  #if os(Linux)
    @Test func readmeExamplePrintsItsOutput() async throws {
      let example = try #require(readme.blocks(in: "swift").first)
      let expected = try #require(readme.blocks(in: "text").first)

      let output = try await Compiler.withFolder { folder in
        let main = folder.appendingPathComponent("main.swift")
        try example.text.write(to: main, atomically: true, encoding: .utf8)
        let library = try await Compiler.swiftc(
          ["-wmo", "-swift-version", "6", "-module-name", "FluxCapacitor", "-parse-as-library"]
            + ["-package-name", "FluxCapacitor", "-emit-library", "-static", "-emit-module"]
            + ["-emit-module-path", folder.path + "/FluxCapacitor.swiftmodule"]
            + ["-o", folder.path + "/libFluxCapacitor.a"]
            + Compiler.librarySources
        )
        try #require(library.isSuccess, "\(library.text)")
        let executable = folder.appendingPathComponent("Counter")
        let compiled = try await Compiler.swiftc(
          ["-swift-version", "6", "-warnings-as-errors", "-I", folder.path, "-L", folder.path]
            + ["-lFluxCapacitor", main.path, "-o", executable.path]
        )
        try #require(compiled.isSuccess, "\(compiled.text)")
        return try await Compiler.run(executable)
      }

      #expect(output.isSuccess)
      #expect(output.text == expected.text)
    }

    @Test(arguments: ["README.md", guide])
    func manifestCompiles(document: String) async throws {
      let markdown = try Markdown(Repository.text(of: document))
      let manifest = try #require(markdown.blocks(in: "swift").first(where: isManifest))
      let toolchain = try #require(Compiler.toolchain)

      let output = try await Compiler.withFolder { folder in
        let file = folder.appendingPathComponent("Package.swift")
        try manifest.text.write(to: file, atomically: true, encoding: .utf8)
        return try await Compiler.swiftc(
          ["-typecheck", "-swift-version", "6", "-package-description-version", "6.2.0"]
            + ["-I", toolchain.path + "/lib/swift/pm/ManifestAPI", file.path]
        )
      }

      #expect(output.isSuccess, "\(output.text)")
    }
  #endif

  private func expectBlocksInCompiledFiles(of markdown: Markdown, in document: String) throws {
    let files = try ["Tests/CompilerTests", "Tests/LanguageModes"]
      .flatMap(Repository.swiftFiles)
      .filter { $0.lastPathComponent != "LinkingTests.swift" }
      .map { file in
        try String(contentsOf: file, encoding: .utf8)
          .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      }
    let blocks = markdown.blocks.filter { $0.isSwift && !$0.isOfAPeer }

    #expect(!blocks.isEmpty)
    for block in blocks where !isCompiledByItself(block) {
      #expect(
        block.language == "swift",
        "The block at \(document):\(block.line) is not compiled, and imports no peer."
      )
      #expect(
        files.contains { block.stands(in: $0) },
        "The block at \(document):\(block.line) stands in no compiled file:\n\(block.text)"
      )
    }
  }

  /// Whether a test of its own gives this block to the compiler: the example of the README, which
  /// is a whole program, and the manifest, which no target can contain.
  private func isCompiledByItself(_ block: Markdown.Block) -> Bool {
    block.lines == readme.blocks(in: "swift").first?.lines || isManifest(block)
  }

  private func isManifest(_ block: Markdown.Block) -> Bool {
    block.lines.first?.hasPrefix("// swift-tools-version") == true
  }
}

import Foundation
import Testing

@Suite(.timeLimit(.minutes(20)))
struct DocumentationTests {
  private let readme: Markdown

  init() throws {
    readme = try Markdown(Repository.text(of: "README.md"))
  }

  /// The articles that `GettingStartedTests` and `LanguageModeArticleTests` check.
  private static let articlesWithTests = [
    "GettingStarted.md", "Swift6AndTheMainActor.md",
  ]

  @Test(
    arguments: Repository.documents.filter { document in
      !articlesWithTests.contains { document.hasSuffix($0) }
    }
  )
  func swiftCodeOfADocumentIsInACompiledFile(document: String) throws {
    try expectBlocksInCompiledFiles(of: Markdown(Repository.text(of: document)), in: document)
  }

  @Test(arguments: Repository.swiftFiles(in: "Sources").map(Repository.path))
  func swiftCodeOfDocCommentsIsInACompiledFile(file: String) throws {
    let comments = try Markdown(ofDocCommentsIn: Repository.text(of: file))
    try expectBlocksInCompiledFiles(of: comments, in: file)
  }

  @Test(arguments: [
    ("swift before", "import Fluxor", true),
    ("swift before", "import Combine\nimport Fluxor", true),
    ("swift before", "import ReSwift", true),
    ("swift before", "import ComposableArchitecture", true),
    ("swift before", "import Combine", false),
    ("swift before", "import Fluxor\nimport FluxCapacitor", false),
    ("swift before", "let store = CounterStore.instantiate()", false),
    ("swift after", "import Fluxor", false),
    ("swift", "import Fluxor", false),
  ])
  func onlyCodeBlocksThatImportAPeerLibraryAreNotCompiled(
    language: String,
    code: String,
    isOfAPeer: Bool
  ) throws {
    let block = try #require(Markdown("```\(language)\n\(code)\n```").blocks.first)

    #expect(block.isSwift)
    #expect(block.isOfAPeer == isOfAPeer)
  }

  @Test func readmeShowsAProgramWithinTheFirst20LinesAndThreeCommandsAfterIt() throws {
    let program = try #require(readme.blocks.first)
    let commands = try #require(readme.blocks(in: "sh").first)

    #expect(program.language == "swift")
    #expect(program.line <= 20)
    #expect(commands.lines.count == 3)
    #expect(commands.lines.first?.hasPrefix("git clone REPOSITORY") == true)
    #expect(commands.lines.suffix(2) == ["swift run github-repos --demo", "swift test"])
  }

  #if os(Linux)
    @Test(
      .enabled(if: Compiler.isThorough, "It takes minutes: run it with THOROUGH=1."),
      arguments: try Repository.documents.filter { try !manifests(in: $0).isEmpty }
    )
    func packageManifestsInADocumentCompile(document: String) async throws {
      let toolchain = try #require(Compiler.toolchain)

      for manifest in try Self.manifests(in: document) {
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
    }
  #endif

  private func expectBlocksInCompiledFiles(of markdown: Markdown, in document: String) throws {
    let blocks = markdown.blocks.filter { $0.isSwift && !$0.isOfAPeer }
    for block in blocks where !isCompiledByItself(block) {
      #expect(
        block.language == "swift",
        "The block at \(document):\(block.line) is not compiled, and imports no peer."
      )
      #expect(
        Self.files.contains { $0.isCompiled && block.stands(in: $0.lines) },
        "The block at \(document):\(block.line) stands in no compiled file:\n\(block.text)"
      )
    }
    for block in markdown.blocks(in: "text") where !isCompiledByItself(block) {
      #expect(
        Self.files.contains { block.stands(in: $0.lines) },
        "What the block at \(document):\(block.line) shows stands in no test:\n\(block.text)"
      )
    }
  }

  /// The files that can contain the code blocks of documents. Some code in `LinkingTests` does not compile.
  private static let files = [
    "Tests/CompilerTests", "Tests/LanguageModes", "Sample/Sources/BoardSample",
  ]
  .flatMap(Repository.swiftFiles)
  .map { file in
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return (
      isCompiled: file.lastPathComponent != "LinkingTests.swift",
      lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    )
  }

  /// Whether a separate test compiles this block or compares this block with printed output.
  ///
  /// Separate tests check the README's example program, the output of the program, and package manifests.
  private func isCompiledByItself(_ block: Markdown.Block) -> Bool {
    block.lines == readme.blocks(in: "swift").first?.lines
      || block.lines == readme.blocks(in: "text").first?.lines || Self.isManifest(block)
  }

  private static func manifests(in document: String) throws -> [Markdown.Block] {
    try Markdown(Repository.text(of: document)).blocks(in: "swift").filter(isManifest)
  }

  private static func isManifest(_ block: Markdown.Block) -> Bool {
    block.lines.first?.hasPrefix("// swift-tools-version") == true
  }
}

// These tests run on Linux only, because `Compiler` finds the package manager only on Linux.
#if os(Linux)
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct GettingStartedTests {
    private static func tutorial(_ article: String) throws -> Tutorial {
      try Tutorial(Repository.text(of: "Sources/FluxCapacitor/FluxCapacitor.docc/" + article))
    }

    @Test func gettingStartedArticleBeginsWithTheCounterOfTheReadme() throws {
      let readme = try Markdown(Repository.text(of: "README.md"))
      let article = try Self.tutorial("GettingStarted.md")

      let counter = article.file(at: "Sources/Counter/main.swift")

      #expect(counter != nil)
      #expect(counter == readme.blocks(in: "swift").first?.text)
    }

    /// Linux has no SwiftUI, so the simulated reader skips the blocks for SwiftUI.
    @Test(arguments: [
      ("GettingStarted.md", "SwiftUISnippets.swift"),
      ("FetchingData.md", "GettingStarted/CapitalScreen.swift"),
    ])
    func swiftUIBlocksOfAnArticleForBeginnersAreInACompiledFile(name: String, file: String) throws {
      let article = try Self.tutorial(name)
      let snippets = try Repository.text(of: "Tests/CompilerTests/" + file)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

      #expect(!article.blocksForSwiftUI.isEmpty)
      for block in article.blocksForSwiftUI {
        #expect(block.stands(in: snippets), "\(block.text)")
      }
    }

    /// Performs every step of both articles in a folder that contains only the library.
    @Test(.enabled(if: Compiler.isThorough, "It takes minutes: run it with THOROUGH=1."))
    func followingTheArticlesForBeginnersPrintsTheShownOutput() async throws {
      let article = try Self.tutorial("FetchingData.md")

      try await Compiler.withFolder { folder in
        var reader = try Reader(in: folder)
        for step in try Self.tutorial("GettingStarted.md").steps + article.steps {
          switch step {
          case .save(let path, let text): try reader.save(text, at: path)
          case .add(let lines, let path, let line): try reader.add(lines, to: path, below: line)
          case .run(let command): try await reader.run(command)
          case .see(let lines): reader.see(lines)
          }
        }

        // The article says that the second test fails after the removal of `as: effect`.
        let action = try #require(article.file(at: "Sources/Capitals/CapitalAction.swift"))
        let path = "Sources/Capitals/CapitalAction.swift"
        try reader.save(action.replacing(", as: effect", with: ""), at: path)
        let output = try await reader.output(of: "swift test")
        #expect(!output.isSuccess)
        #expect(
          output.text.contains("Test newerQuestionSupersedesTheOlderQuestion() failed"),
          "\(output.text)"
        )
        #expect(
          output.text.contains("Test findCapitalLoadsTheAnswerOfTheService() passed"),
          "\(output.text)"
        )
      }
    }
  }

  /// The steps that an article asks its reader to perform.
  private struct Tutorial {
    enum Step {
      case save(path: String, text: String)
      case add(lines: [String], path: String, below: String)
      case run(String)
      case see([String])
    }

    private(set) var steps: [Step] = []
    private(set) var blocksForSwiftUI: [Markdown.Block] = []

    init(_ text: String) throws {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      var end = 0
      for block in Markdown(text).blocks {
        let prose = lines[end..<block.line - 1].joined(separator: " ")
        switch block.language {
        case "swift" where block.lines.contains("import SwiftUI"):
          blocksForSwiftUI.append(block)
        case "swift":
          if let add = prose.firstMatch(of: Self.instructionToAdd)?.output {
            steps.append(.add(lines: block.lines, path: String(add.1), below: String(add.2)))
          } else {
            // The reader saves the block as the last file that the preceding prose names.
            let path = prose.matches(of: /`([^` ]+\.swift)`/).last?.output.1
            try steps.append(.save(path: String(#require(path)), text: block.text))
          }
        case "sh":
          steps += block.lines.map(Step.run)
        default:
          steps.append(.see(block.lines))
        }
        end = block.line + block.lines.count + 1
      }
    }

    private static var instructionToAdd: Regex<(Substring, Substring, Substring)> {
      /Add these lines to `([^`]+)`, below the line `([^`]+)`:/
    }

    /// Returns the text of the first block that the reader saves at a path.
    func file(at path: String) -> String? {
      let texts = steps.compactMap { step in
        if case .save(path, let text) = step { text } else { nil }
      }
      return texts.first
    }
  }

  /// A simulated reader that performs the steps of an article in a folder with a clone of the library.
  private struct Reader {
    private var folder: URL
    private var command = ""
    private var text = ""

    init(in folder: URL) throws {
      self.folder = folder
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("FluxCapacitor"),
        withDestinationURL: Repository.root
      )
    }

    func save(_ text: String, at path: String) throws {
      let file = folder.appendingPathComponent(path)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Inserts lines into a file, below the only line that equals `line`.
    func add(_ lines: [String], to path: String, below line: String) throws {
      let file = folder.appendingPathComponent(path)
      var text = try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n",
        omittingEmptySubsequences: false
      ).map(String.init)
      let places = text.indices.filter { text[$0].drop { $0 == " " } == line }
      try #require(places.count == 1, "\(path) contains the line \(places.count) times: \(line)")
      text.insert(contentsOf: lines, at: places[0] + 1)
      try save(text.joined(separator: "\n"), at: path)
    }

    mutating func run(_ command: String) async throws {
      if command.hasPrefix("cd ") {
        folder.appendPathComponent(String(command.dropFirst(3)))
      } else {
        let output = try await output(of: command)
        try #require(output.isSuccess, "\(command): \(output.text)")
        (self.command, text) = (command, output.text)
      }
    }

    func output(of command: String) async throws -> Compiler.Output {
      let toolchain = try #require(Compiler.toolchain)
      let script = #"cd "$0" && PATH="$1/bin:$PATH" && eval "$2""#
      return try await Compiler.run(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", script, folder.path, toolchain.path, command]
      )
    }

    /// Expects that the last command has printed the lines. If the command is `swift run`, the program must
    /// have printed no further lines.
    func see(_ lines: [String]) {
      if command.hasPrefix("swift run") {
        let printed = text.split(separator: "\n").suffix(lines.count + 1)
        #expect(printed.first?.hasPrefix("Build of product") == true, "\(text)")
        #expect(printed.dropFirst().map(String.init) == lines)
      } else {
        for line in lines { #expect(text.contains(line), "\(text)") }
      }
    }
  }
#endif

// These tests run on Linux only, because `Compiler` finds the package manager only on Linux.
#if os(Linux)
  import Foundation
  import Testing

  @Suite(.timeLimit(.minutes(20)))
  struct GettingStartedTests {
    private static func article() throws -> Tutorial {
      try Tutorial(
        Repository.text(of: "Sources/FluxCapacitor/FluxCapacitor.docc/Essentials/GettingStarted.md")
      )
    }

    /// Linux has no SwiftUI, so the simulated reader skips the blocks for SwiftUI.
    @Test func swiftUIBlocksOfTheArticleAreInACompiledFile() throws {
      let blocks = try Self.article().blocksForSwiftUI
      let snippets = try Repository.text(of: "Tests/CompilerTests/SwiftUISnippets.swift")
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

      #expect(!blocks.isEmpty)
      for block in blocks { #expect(block.stands(in: snippets), "\(block.text)") }
    }

    /// Performs every step of the article in a folder that contains only the library, and then runs the README's program
    /// there.
    @Test(.enabled(if: Compiler.isThorough, "It takes minutes: run it with THOROUGH=1."))
    func articleAndReadmePrintTheShownOutput() async throws {
      let article = try Self.article()
      let readme = try Markdown(Repository.text(of: "README.md"))
      let program = try #require(readme.blocks(in: "swift").first)
      let output = try #require(readme.blocks(in: "text").first)

      try await Compiler.withFolder { folder in
        var reader = try Reader(in: folder)
        let steps: [Tutorial.Step] = [
          .save(path: "Sources/Counter/main.swift", text: program.text),
          .run("swift run Counter"),
          .see(output.lines),
        ]
        for step in article.steps + steps {
          switch step {
          case .save(let path, let text): try reader.save(text, at: path)
          case .run(let command): try await reader.run(command)
          case .see(let lines): reader.see(lines)
          }
        }
      }
    }
  }

  /// The steps that an article asks its reader to perform.
  private struct Tutorial {
    enum Step {
      case save(path: String, text: String)
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
          // The reader saves the block as the last file that the preceding prose names.
          let path = prose.matches(of: /`([^` ]+\.swift)`/).last?.output.1
          try steps.append(.save(path: String(#require(path)), text: block.text))
        case "sh":
          steps += block.lines.map(Step.run)
        default:
          steps.append(.see(block.lines))
        }
        end = block.line + block.lines.count + 1
      }
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

// These tests run on Linux only, because `Compiler` finds the toolchain in `/proc/self/maps`.
#if os(Linux)
  import Foundation
  import Testing

  /// Tests that the compiler confirms the article's statements about each language mode.
  @Suite(.timeLimit(.minutes(20)))
  struct LanguageModeArticleTests {
    private let article: Markdown

    init() throws {
      article = try Markdown(
        Repository.text(
          of: "Sources/FluxCapacitor/FluxCapacitor.docc/Reference/Swift6AndTheMainActor.md"
        )
      )
    }

    @Test func codeOfTheLanguageModeArticleIsInACompiledFile() throws {
      let snippets = try Repository.text(of: Omission.file)
      let lines = snippets.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

      #expect(!article.blocks(in: "swift").isEmpty)
      for block in article.blocks(in: "swift") {
        #expect(block.stands(in: lines), "\(block.text)")
      }
    }

    @Test func tableOfTheLanguageModeArticleListsEveryOmission() {
      let rows = article.prose.filter { $0.hasPrefix("| ") }.dropFirst()

      #expect(Array(rows) == Omission.all.compactMap(\.row))
    }

    @Test func languageModeArticleQuotesTheErrorOfEachOmission() {
      let sentences = article.blocks(in: "text").flatMap(\.lines)

      #expect(!sentences.isEmpty)
      #expect(Set(sentences) == Set(Omission.all.compactMap(\.sentence)))
    }

    @Test(.enabled(if: Compiler.isThorough, "It takes minutes: run it with THOROUGH=1."))
    func compilerReportsTheErrorOfEachOmissionFromTheLanguageModeArticle() async throws {
      let snippets = try Repository.text(of: Omission.file)

      try await Compiler.withFolder { folder in
        let library = try await Compiler.swiftc(
          ["-wmo", "-swift-version", "6", "-module-name", "FluxCapacitor", "-parse-as-library"]
            + ["-package-name", "FluxCapacitor", "-emit-module"]
            + ["-emit-module-path", folder.path + "/FluxCapacitor.swiftmodule"]
            + Compiler.librarySources
        )
        try #require(library.isSuccess, "\(library.text)")

        for omission in [Omission.nothing] + Omission.all {
          let text = try omission.made(in: snippets)
          async let swift5 = compile(text, ["-swift-version", "5"], in: folder)
          async let swift6 = compile(text, ["-swift-version", "6"], in: folder)
          async let mainActor = compile(
            text,
            ["-swift-version", "6", "-default-isolation", "MainActor"],
            in: folder
          )
          let outputs = try await [swift5, swift6, mainActor]

          let said = outputs.map(\.text).joined(separator: "\n")
          #expect(outputs.map(Verdict.init) == omission.verdicts, "\(omission.name): \(said)")
          if let sentence = omission.sentence {
            #expect(said.contains(": " + sentence), "\(omission.name): \(said)")
          }
          for (output, verdict) in zip(outputs, omission.verdicts) where verdict == .warning {
            let isPromise = output.text.contains("; this is an error in the Swift 6 language mode")
            #expect(isPromise == (omission.verdicts.first == .warning), "\(output.text)")
          }
        }
      }
    }

    /// Compiles a file up to the compiler stage that reports data races.
    private func compile(
      _ text: String,
      _ mode: [String],
      in folder: URL
    ) async throws -> Compiler.Output {
      let name = UUID().uuidString
      let file = folder.appendingPathComponent(name + ".swift")
      try text.write(to: file, atomically: true, encoding: .utf8)
      return try await Compiler.swiftc(
        mode + ["-wmo", "-emit-sil", "-parse-as-library", "-module-name", "Application"]
          + ["-I", folder.path, "-o", folder.path + "/\(name).sil", file.path]
      )
    }
  }

  extension Verdict {
    fileprivate init(_ output: Compiler.Output) {
      self = !output.isSuccess ? .error : output.text.contains("warning: ") ? .warning : .none
    }
  }
#endif

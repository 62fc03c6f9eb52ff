import Foundation
import Testing

struct LanguageModesTests {
  @Test(arguments: ["Swift5Tests", "Swift6Tests", "MainActorTests"])
  func everyLanguageModeCompilesTheSameApplication(target: String) {
    let files = Repository.swiftFiles(in: "Tests/LanguageModes/\(target)/Application")

    #expect(!files.isEmpty)
    #expect(files == Repository.swiftFiles(in: "Tests/LanguageModes/Application"))
  }

  @Test func applicationHasNoConcurrencyAnnotations() throws {
    let annotations = ["Sendable", "MainActor", "isolated", "@preconcurrency", "sending", "unsafe"]
    let files = Repository.swiftFiles(in: "Tests/LanguageModes/Application")
      .filter { $0.lastPathComponent != "ApplicationTests.swift" }

    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for annotation in annotations {
        #expect(!text.contains(annotation), "\(annotation) in \(file.lastPathComponent)")
      }
    }
  }
}

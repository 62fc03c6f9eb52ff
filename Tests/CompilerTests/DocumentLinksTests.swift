import Foundation
import Testing

/// Tests of the links between documents, and of the commands that documents show.
struct DocumentLinksTests {
  private static let documents = Repository.documents + ["Sample/README.md"]

  @Test(arguments: documents)
  func everyLinkOfADocumentHasATarget(document: String) throws {
    // This test ignores links to other sites and links to pictures. DocC checks the pictures.
    let links = try Markdown(Repository.text(of: document)).links
      .filter {
        !$0.hasPrefix("https://") && !["flow", "late-answers", "live-explorer"].contains($0)
      }

    for link in links {
      #expect(try leadsSomewhere(link, from: document), "\(document) links to \(link)")
    }
  }

  private func leadsSomewhere(_ link: String, from document: String) throws -> Bool {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let file = parts[0].isEmpty ? document : folder(of: document) + parts[0]
    guard FileManager.default.fileExists(atPath: Repository.root.path + "/" + file) else {
      return false
    }
    guard parts.count == 2 else { return true }
    let text = try Repository.text(of: file)
    // The fragment of a link names a line with a test, or a heading.
    if parts[1].hasPrefix("L"), let line = Int(parts[1].dropFirst()) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return lines.indices.contains(line - 1) && lines[line - 1].contains("@Test")
    }
    return Markdown(text).anchors.count { $0 == parts[1] } == 1
  }

  private func folder(of document: String) -> String {
    document.lastIndex(of: "/").map { String(document[...$0]) } ?? ""
  }

  // `GettingStartedTests` runs the commands of "Getting started".
  @Test(arguments: documents.filter { !$0.hasSuffix("GettingStarted.md") })
  func gateRunsEveryShellCommandOfADocument(document: String) throws {
    let readme = try Markdown(Repository.text(of: "README.md")).blocks(in: "sh")
    // The gate reads the commands of the README from this block.
    let gate = try Repository.text(of: ".ci/run") + readme[0].lines.joined(separator: "\n")
    let commands = try Markdown(Repository.text(of: document)).blocks(in: "sh").flatMap(\.lines)

    for command in commands where !Self.exceptions.contains(command) {
      #expect(gate.contains(command), "\(document) shows the command \(command)")
    }
  }

  private static let exceptions = [
    // This command needs a token and GitHub. `GitHubReposTests` runs this command with a local server.
    "GITHUB_TOKEN=… swift run github-repos octocat",
    // `.ci/benchmark` runs the benchmark from its own build.
    "swift run -c release FluxCapacitorBenchmarks",
    // The gate does not run itself, and developers run `.ci/mutants` on demand.
    ".ci/run", ".ci/mutants",
  ]
}

import Foundation
import Testing

/// Links between documents lead somewhere, and the commands that documents show are run by the gate.
struct DocumentLinksTests {
  private static let documents = Repository.documents + ["Sample/README.md"]

  @Test(arguments: documents)
  func linksLeadSomewhere(document: String) throws {
    let text = try Repository.text(of: document)

    for match in text.matches(of: /\]\(([^)\s]+)\)/) {
      let link = String(match.1)
      // Pictures of the documentation are looked for by DocC, and other sites are not asked.
      guard !link.hasPrefix("http"), link != "flow" else { continue }
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
    let lines = try Repository.text(of: file)
      .split(separator: "\n", omittingEmptySubsequences: false)
    // The line of a test, or a heading as GitHub links it.
    if parts[1].hasPrefix("L"), let line = Int(parts[1].dropFirst()) {
      return lines.indices.contains(line - 1) && lines[line - 1].contains("@Test")
    }
    return lines.contains { line in
      line.hasPrefix("#")
        && line.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
          .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" } == parts[1]
    }
  }

  private func folder(of document: String) -> String {
    document.lastIndex(of: "/").map { String(document[...$0]) } ?? ""
  }

  @Test(arguments: documents)
  func commandsAreRunByTheGate(document: String) throws {
    let gate = try Repository.text(of: ".ci/run")
    var blocks = try Markdown(Repository.text(of: document)).blocks(in: "sh")
    // `.ci/newcomer` takes the first two of the README from there.
    if document == "README.md" { blocks.removeFirst(2) }
    let commands = blocks.flatMap(\.lines)

    for command in commands where !Self.exceptions.contains(command) {
      #expect(gate.contains(command), "\(document) shows the command \(command)")
    }
  }

  private static let exceptions = [
    // It needs a token and GitHub. `GitHubReposTests` runs the command on a server of its own.
    "GITHUB_TOKEN=… swift run github-repos octocat",
    // The gate itself.
    ".ci/run",
  ]
}

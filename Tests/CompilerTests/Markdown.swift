/// A Markdown document, divided into fenced code blocks and prose.
struct Markdown {
  struct Block {
    let language: String

    /// The line number of the opening fence.
    let line: Int
    var lines: [String] = []

    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  private(set) var blocks: [Block] = []
  private(set) var prose: [String] = []

  init(_ text: String) {
    var open: Block?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      switch (open, line.hasPrefix("```")) {
      case (nil, true):
        open = Block(language: String(line.drop { $0 == "`" }), line: index + 1)
      case (nil, false):
        prose.append(String(line))
      case (let block?, true):
        blocks.append(block)
        open = nil
      case (_?, false):
        open?.lines.append(String(line))
      }
    }
  }

  /// Creates a document from the doc comments of a Swift file. The lines have the line numbers of the file.
  init(ofDocCommentsIn source: String) {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      return line.hasPrefix("/// ") ? String(line.dropFirst(4)) : ""
    }
    self.init(lines.joined(separator: "\n"))
  }

  func blocks(in language: String) -> [Block] {
    blocks.filter { $0.language == language }
  }

  /// The targets of the links and pictures in the prose.
  var links: [String] {
    prose.flatMap { line in
      line.split(separator: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
        + line.matches(of: /(?:src|srcset)="([^"]+)"/).map { String($0.output.1) }
    }
  }

  /// The URL fragments by which GitHub links to the headings.
  var anchors: [String] {
    prose.filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
        .replacing(" ", with: "-")
    }
  }

  /// The number of words outside the code blocks, as `wc -w` counts them.
  var wordCount: Int {
    prose.reduce(0) { $0 + $1.split { $0.isWhitespace }.count }
  }
}

extension Markdown.Block {
  /// Whether Markdown viewers highlight the block as Swift, because its language begins with "swift".
  var isSwift: Bool { language.lowercased().hasPrefix("swift") }

  /// Whether the block shows code for another Flux library, which this package can't compile. Such a block
  /// has the language `swift before`, and imports the other library.
  var isOfAPeer: Bool {
    let imports = Set(lines.filter { $0.hasPrefix("import ") })
    let peers = [
      "VueFlux", "Fluxor", "Fluxus", "WordPressFlux", "ReSwift", "ComposableArchitecture",
    ]
    let ofPeers = peers.map { "import " + $0 }
    return language == "swift before"
      && !imports.isDisjoint(with: ofPeers)
      && !imports.contains("import FluxCapacitor")
  }

  /// Whether a file contains the lines of this block in succession, with a common indentation.
  func stands(in file: [String]) -> Bool {
    file.indices.contains { start in stands(in: file[start...]) }
  }

  private func stands(in file: ArraySlice<String>) -> Bool {
    guard let first = lines.first, file.count >= lines.count, file.first?.hasSuffix(first) == true
    else { return false }
    let indentation = file[file.startIndex].dropLast(first.count)
    guard indentation.allSatisfy({ $0 == " " }) else { return false }
    return zip(file, lines).allSatisfy { line, expected in
      line == (expected.isEmpty ? "" : indentation + expected)
    }
  }
}

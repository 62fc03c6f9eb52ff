import Foundation
import GitHubSample
import Testing

struct RepositoryTableTests {
  @Test func columnsAreAligned() {
    var table = RepositoryTable()

    let lines = table.lines(for: [
      GitHub.Repository(
        id: "1",
        nameWithOwner: "mona/octopus",
        summary: "Eight arms",
        stargazerCount: 12345,
        forkCount: 67,
        primaryLanguage: "Swift",
        pushedAt: Date(timeIntervalSince1970: 1_700_000_000)
      ),
      GitHub.Repository(id: "2", nameWithOwner: "mona/empty"),
    ])

    #expect(
      lines == [
        "NAME                             STARS   FORKS  LANGUAGE          PUSHED      DESCRIPTION",
        "mona/octopus                     12345      67  Swift             2023-11-14  Eight arms",
        "mona/empty                           0       0  -                 -",
      ]
    )
  }

  @Test func laterPagesHaveNoHeaderAndKeepOrWidenTheColumns() {
    var table = RepositoryTable()
    let long = String(repeating: "x", count: 40)

    _ = table.lines(for: [.named("a")])
    let second = table.lines(for: [.named(long), .named("b")])
    let third = table.lines(for: [.named("c")])

    #expect(
      second + third == [
        "mona/\(long)       1       0  -                 -",
        "mona/b                                              1       0  -                 -",
        "mona/c                                              1       0  -                 -",
      ]
    )
  }

  @Test func nothingIsNoTable() {
    var table = RepositoryTable()

    #expect(table.lines(for: []).isEmpty)
  }

  @Test func wideCharactersTakeTwoColumns() {
    var table = RepositoryTable()

    let lines = table.lines(for: [.named("日本語"), .named("👩‍👩‍👧‍👦"), .named("Cafe\u{301}")])

    #expect(
      lines.dropFirst() == [
        "mona/日本語                          1       0  -                 -",
        "mona/👩‍👩‍👧‍👦                              1       0  -                 -",
        "mona/Cafe\u{301}                            1       0  -                 -",
      ]
    )
  }

  @Test(arguments: [
    (String(repeating: "x", count: 60), String(repeating: "x", count: 60)),
    (String(repeating: "x", count: 61), String(repeating: "x", count: 59) + "…"),
    (String(repeating: "word ", count: 60), String(repeating: "word ", count: 12).dropLast() + "…"),
    (String(repeating: "長", count: 31), String(repeating: "長", count: 29) + "…"),
    ("one\nline\tonly", "one line only"),
    ("red \u{1B}[31m", "red \u{FFFD}[31m"),
  ])
  func descriptionsAreCutAndHarmless(summary: String, shown: String) throws {
    var table = RepositoryTable()

    let lines = table.lines(for: [
      GitHub.Repository(id: "1", nameWithOwner: "mona/a", summary: summary)
    ])

    #expect(try #require(lines.last).hasSuffix("-           \(shown)"))
  }
}

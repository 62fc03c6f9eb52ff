import Foundation
import GitHubSample
import Testing

struct TableTests {
  private let table = Table<[String]>([
    .init("NAME", leastWidth: 4) { $0[0] },
    .init("N", alignment: .right) { $0[1] },
    .init("TEXT", leastWidth: 6) { $0[2] },
  ])

  private func lines(_ rows: [String]..., width: Int = 80) -> [String] {
    Array(table.lines(for: rows, width: width, hasColors: false).dropFirst())
  }

  @Test func tableColumnIsAsWideAsTheLongestTextInTheColumn() {
    #expect(lines(["a", "1", "x"], ["bcdef", "200", ""]) == ["a        1  x", "bcdef  200"])
  }

  @Test func tableReservesTwoTerminalColumnsForAWideCharacter() {
    #expect(
      lines(["日本語", "1", "x"], ["👩‍👩‍👧‍👦", "1", "x"], ["Cafe\u{301}", "1", "x"])
        == ["日本語  1  x", "👩‍👩‍👧‍👦      1  x", "Cafe\u{301}    1  x"]
    )
  }

  @Test(arguments: [
    ("a\u{FE0F}", 1), ("✈️", 2), ("🇯🇵", 2), ("🈐", 2), ("น้ำ", 2), ("क्षि", 3), ("각", 2), ("\u{1B}", 0),
    ("〈", 2), ("☰", 2), ("a🏽", 3), ("\u{1D306}", 2),
  ])
  func tableNeverUnderestimatesTheWidthOfACharacter(text: String, columns: Int) {
    let lines = lines([text, "1", "x"], ["abcd", "1", "x"])

    #expect(lines[0] == text + String(repeating: " ", count: 4 - columns) + "  1  x")
  }

  @Test func tableCutsTheLastColumnFirstOnANarrowTerminal() {
    #expect(lines(["abcdefgh", "1", "words that go on"], width: 22) == ["abcdefgh  1  words th…"])
    #expect(lines(["abcdefgh", "1", "words that go on"], width: 16) == ["abcd…  1  words…"])
    #expect(lines(["長長長長", "1", "x"], width: 11) == ["長…   1  x"])
  }

  @Test(arguments: 5...40) func tableLinesNeverExceedTheTerminalWidth(width: Int) {
    let lines = lines(["abcdefgh", "12345", "words that go on"], width: max(width, 7))

    #expect(lines.allSatisfy { $0.count <= max(width, 7) })
  }
}

import GitHubSample
import Testing

struct SanitizedTextTests {
  @Test(arguments: [
    ("plain", "plain"),
    ("  two\r\n\tlines  ", "two lines"),
    ("\u{1B}[2J\u{7}\u{0}\u{9B}1m", "\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}1m"),
    ("left\u{202E}right\u{2066}", "left\u{FFFD}right\u{FFFD}"),
    ("a\u{200B}b\u{FEFF}c\u{2060}d\u{AD}e", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e"),
    ("a\u{200D}b\u{3164}", "a\u{FFFD}b\u{FFFD}"),
    ("line\u{2028}paragraph\u{2029}", "line paragraph"),
    ("日本語 Cafe\u{301} ✈️", "日本語 Cafe\u{301} ✈️"),
    ("👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈", "👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈"),
  ])
  func sanitizedTextIsOneLineWithoutHarmfulCharacters(text: String, shown: String) {
    let scalars = text.sanitized.unicodeScalars

    #expect(Array(scalars) == Array(shown.unicodeScalars))
  }

  @Test func sanitizedClauseHasNoFullStopAndAtMost200Characters() {
    #expect("Bad credentials.\n".sanitizedClause == "Bad credentials")
    #expect(String(repeating: "x", count: 300).sanitizedClause.count == 200)
  }
}

import GitHubSample
import Testing

struct SanitizedTextTests {
  @Test(arguments: [
    ("plain", "plain"),
    ("  two\r\n\tlines  ", "two lines"),
    ("\u{1B}[2J\u{7}\u{0}\u{9B}1m", "\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}1m"),
    ("left\u{202E}right\u{2066}", "left\u{FFFD}right\u{FFFD}"),
    ("a\u{200B}b\u{FEFF}c\u{2060}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"),
    ("\u{AD}a\u{AD}\u{AD} \u{200C}a\u{200C}b", "\u{FFFD}a\u{FFFD}\u{FFFD} \u{FFFD}a\u{FFFD}b"),
    ("می\u{200C}\u{200C}خ\u{200C} \u{200D}خ", "می\u{FFFD}\u{FFFD}خ\u{FFFD} \u{FFFD}خ"),
    // A flag without an end, a flag of too many tags, and tags without a flag
    ("\u{1F3F4}\u{E0067}\u{E0062}", "\u{1F3F4}\u{FFFD}\u{FFFD}"),
    ("\u{1F3F4}\u{E0041}\u{E007F}", "\u{1F3F4}\u{FFFD}\u{FFFD}"),
    ("a\u{E0067}\u{E0062}\u{E0065}\u{E007F}", "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("a\u{E0100}\u{180B}", "a\u{FFFD}\u{FFFD}"),
    ("a\u{200D}b\u{3164}", "a\u{FFFD}b\u{FFFD}"),
    ("line\u{2028}paragraph\u{2029}", "line paragraph"),
    ("日本語 Cafe\u{301} ✈️", "日本語 Cafe\u{301} ✈️"),
    ("👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈", "👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈"),
  ])
  func sanitizedTextIsOneLineWithoutHarmfulCharacters(text: String, shown: String) {
    let scalars = text.sanitized.unicodeScalars

    #expect(Array(scalars) == Array(shown.unicodeScalars))
  }

  @Test(arguments: [
    "می\u{200C}خواهم",
    "PDF\u{200C}ها",
    "۱۴۰۲ ه\u{200D}",
    "क्\u{200D}ष हार्ड\u{200C}वेयर",
    "ශ්\u{200D}රී ලංකා",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Scotland",
    "Donau\u{AD}dampf\u{AD}schiff",
    "葛\u{E0100}城市",
    "ᠠ\u{180B}",
    "\u{600}۱۲ \u{6DD}",
  ])
  func ordinaryTextIsKept(text: String) {
    #expect(Array(text.sanitized.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test func sanitizedClauseHasNoFullStopAndAtMost200Characters() {
    #expect("Bad credentials.\n".sanitizedClause == "Bad credentials")
    #expect(String(repeating: "x", count: 300).sanitizedClause.count == 200)
  }
}

import GitHubSample
import Testing

struct LanguageBarTests {
  @Test func languageBarShowsTheSharesOfLanguagesWithinTheLineWidth() {
    let languages = Array(repeating: "Swift", count: 17) + ["C", "C", "Rust"]

    #expect(
      LanguageBar.line(for: languages, width: 80, hasColors: false)
        == "Swift ████████▌ 85% · C █ 10% · Rust ▌ 5%"
    )
    #expect(
      LanguageBar.line(for: languages, width: 30, hasColors: false)
        == "Swift ████████▌ 85% · C █ 10%"
    )
    #expect(
      LanguageBar.line(for: ["", String(repeating: "x", count: 99)], width: 80, hasColors: false)
        == "\(String(repeating: "x", count: 19))… ██████████ 100%"
    )
    #expect(LanguageBar.line(for: ["Swift"], width: 12, hasColors: false) == nil)
    #expect(LanguageBar.line(for: [], width: 80, hasColors: false) == nil)
  }
}

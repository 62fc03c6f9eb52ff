import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct FlowExplorerTests {
  private let store = NoteStore.instantiate()
  private let circuits = TimeCircuits()

  @Test func flowExplorerEscapesMarkupInTitlesAndStates() throws {
    Invoker<Note>().invoke(.write("</script><script>alert(1)</script><!--\u{2028}&amp;\"'"))

    let html = FlowExplorer(circuits.events, title: "<b>Title</b>").html

    expectNoScript(in: html)
    #expect(!html.contains("<b>") && html.contains(#"\u003cb>Title"#))
    #expect(html.contains("default-src 'none'"))
    #expect(store.text.value.hasPrefix("</script>"))
  }

  /// Swift treats each of these scalars and a following `<` as one character.
  @Test(arguments: ["\u{600}", "\u{6DD}", "\u{70F}", "\u{8E2}", "\u{110BD}", "\u{200D}"])
  func flowExplorerEscapesABracketBesideACombiningScalar(scalar: String) throws {
    let text = "\(scalar)</script>\(scalar)<script>alert(1)//\(scalar)</script>\(scalar)<!--"
    Invoker<Note>().invoke(.write(text))

    expectNoScript(in: FlowExplorer(circuits, title: text).html)
    expectNoScript(in: FlowExplorer(circuits.events, title: text).html)
    #expect(store.text.value == text)
  }

  /// Expects that the page contains no script elements except for the two elements of its template.
  private func expectNoScript(in html: String) {
    let bytes = Array(html.utf8)
    #expect(bytes.ranges(of: Array("<script".utf8)).count == 2)
    #expect(bytes.ranges(of: Array("</script".utf8)).count == 2)
    #expect(bytes.ranges(of: Array("<!--".utf8)).isEmpty)
  }

  @Test func flowExplorerAcceptsEventsFromASinglePassSequence() {
    Invoker<Note>().invoke(.write("a"))
    var events = circuits.events.makeIterator()

    let html = FlowExplorer(AnyIterator { events.next() }).html

    #expect(html.contains(#"["f","Note.write",0,"","sa"]"#))
    #expect(store.text.value == "a")
  }

  @Test func flowExplorerDistinguishesStoresWithTheSameName() throws {
    enum Inner {
      final class NoteStore: Storable {
        private let text = Variable("inner")

        func reduce(with state: Note) {
          if case .write(let text) = state { self.text.value = "inner \(text)" }
        }
      }
    }
    let inner = Inner.NoteStore.instantiate()
    Invoker<Note>().invoke(.write("a"))

    let html = FlowExplorer(circuits).html

    #expect(html.contains("FluxCapacitorDebuggingTests.FlowExplorerTests"))
    #expect(html.matches(of: /"new":"[^"]*","number":(\d)/).map(\.output.1) == ["1", "2", "0"])
    withExtendedLifetime(inner) {}
  }

  @Test(.browser, .timeLimit(.minutes(20)))
  func flowExplorerPageRespondsToClicksKeysAndTheFilter() async throws {
    for number in 1...2_000 {
      Invoker<Note>().invoke(number.isMultiple(of: 100) ? .clear : .write("note \(number)"))
    }
    let dusts = DustBuster()
    for _ in 0..<2 { store.text.observe { _ in }.cleaned(by: dusts) }
    store.text.map(\.count).observe { _ in }.cleaned(by: dusts)
    let page = try await ExplorerPage(circuits, title: "Notes")
    func texts(of selector: String) async throws -> [String] {
      try await page.browser.value(
        of: "[...document.querySelectorAll('\(selector)')].map((node) => node.textContent)"
      )
    }

    #expect(try await page.browser.value(of: "document.title") == "Notes")
    #expect(try await page.text(of: "state") == #"Note.write("note 1")"#)
    try await page.select(2)
    #expect(try await page.text(of: "state") == #"Note.write("note 3")"#)
    try await page.browser.press("ArrowDown")
    #expect(try await page.text(of: "state") == #"Note.write("note 4")"#)
    #expect(try await texts(of: "#stores .variable .value") == [#""note 4""#, "4", #""-""#])
    try await page.browser.press("End")
    #expect(try await page.text(of: "state") == "Note.clear")
    try await page.type("note 1501", into: "filter")
    #expect(try await page.text(of: "state") == #"Note.write("note 1501")"#)
    #expect(try await page.text(of: "count") == "1 of 2000 dispatches")
    try await page.type(".clear", into: "filter")
    try await page.browser.press("Home", "ArrowDown")
    #expect(try await page.text(of: "state") == "Note.clear")
    #expect(try await texts(of: "#stores .variable .value") == [#""""#, "200", #""-""#])
    #expect(try await texts(of: "#flow g.lit").count == 6)
    #expect(try await texts(of: ".row[aria-selected=true] .number") == ["200"])
    #expect(
      try await texts(of: "#flow title").filter { $0.contains("observer") } == ["3 observers"]
    )
    #expect(try await texts(of: ".row").count == 20)
    #expect(store.text.value == "")
  }
}

private enum Note: DispatchState {
  typealias RelatedStoreType = NoteStore

  case write(String)
  case clear
}

private final class NoteStore: Storable {
  var text: Constant<String> { _text.constant }
  private let _text = Variable("")
  private let edits = Variable(0)
  private let neverWrittenTo = Variable("-")

  func reduce(with state: Note) {
    switch state {
    case .write(let text): _text.value = text
    case .clear: _text.value = ""
    }
    edits.value += 1
  }
}

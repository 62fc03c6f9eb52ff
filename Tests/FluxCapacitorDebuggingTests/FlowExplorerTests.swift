import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct FlowExplorerTests {
  @Test func flowExplorerEscapesMarkupInTitlesAndStates() throws {
    let store = NoteStore.instantiate()
    let circuits = TimeCircuits()
    NoteAction().invoke(.write("</script><script>alert(1)</script><!--\u{2028}&amp;\"'"))

    let html = FlowExplorer(circuits.events, title: "<b>Title</b>").html

    expectNoScript(in: html)
    #expect(!html.contains("<b>") && html.contains(#"\u003cb>Title"#))
    #expect(html.contains("default-src 'none'"))
    #expect(store.text.value.hasPrefix("</script>"))
  }

  /// Swift treats each of these scalars and a following `<` as one character.
  @Test(arguments: ["\u{600}", "\u{6DD}", "\u{70F}", "\u{8E2}", "\u{110BD}", "\u{200D}"])
  func flowExplorerEscapesABracketBesideACombiningScalar(scalar: String) throws {
    let store = NoteStore.instantiate()
    let circuits = TimeCircuits()
    let text = "\(scalar)</script>\(scalar)<script>alert(1)//\(scalar)</script>\(scalar)<!--"
    NoteAction().invoke(.write(text))

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
    let store = NoteStore.instantiate()
    let circuits = TimeCircuits()
    NoteAction().invoke(.write("a"))
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
    let stores = (NoteStore.instantiate(), Inner.NoteStore.instantiate())
    let circuits = TimeCircuits()
    NoteAction().invoke(.write("a"))

    let html = FlowExplorer(circuits).html

    #expect(html.contains("FluxCapacitorDebuggingTests.FlowExplorerTests"))
    #expect(html.matches(of: /"new":"[^"]*","number":(\d)/).map(\.output.1) == ["1", "2", "0"])
    withExtendedLifetime(stores) {}
  }

  @Test(.enabled(if: Browser.isUsed, "Only a thorough debug run uses Chromium."), .timeLimit(.minutes(20)))
  func flowExplorerPageRespondsToClicksKeysAndTheFilter() async throws {
    let store = NoteStore.instantiate()
    let circuits = TimeCircuits()
    for number in 1...2_000 {
      NoteAction().invoke(number.isMultiple(of: 100) ? .clear : .write("note \(number)"))
    }
    let dusts = DustBuster()
    for _ in 0..<2 { store.text.observe { _ in }.cleaned(by: dusts) }
    store.text.map(\.count).observe { _ in }.cleaned(by: dusts)
    let html = FlowExplorer(circuits, title: "Notes").html

    let shown = try await Browser.results(
      of: """
        const state = () => document.getElementById("state").textContent;
        const stores = () => [...document.querySelectorAll("#stores .variable .value")]
          .map((value) => value.textContent);
        const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
        const filter = (text) => {
          document.getElementById("filter").value = text;
          document.getElementById("filter").dispatchEvent(new Event("input"));
        };
        const results = { title: document.title, first: state() };
        document.querySelectorAll(".row")[2].click();
        results.clicked = state();
        press("ArrowDown");
        results.below = [state(), ...stores()];
        press("End");
        results.last = state();
        filter("note 1501");
        results.found = [state(), document.getElementById("count").textContent];
        filter(".clear");
        press("Home");
        press("ArrowDown");
        results.second = [state(), ...stores(),
          String(document.querySelectorAll("#flow g.lit").length),
          document.querySelectorAll(".row[aria-selected=true] .number")[0].textContent];
        results.observers = [...document.querySelectorAll("#flow title")]
          .map((title) => title.textContent).filter((text) => text.includes("observer"));
        results.rows = document.querySelectorAll(".row").length;
        return results;
        """,
      on: html,
      as: Shown.self
    )

    #expect(
      shown
        == Shown(
          title: "Notes",
          first: #"Note.write("note 1")"#,
          clicked: #"Note.write("note 3")"#,
          below: [#"Note.write("note 4")"#, #""note 4""#, "4", #""-""#],
          last: "Note.clear",
          found: [#"Note.write("note 1501")"#, "1 of 2000 dispatches"],
          second: ["Note.clear", #""""#, "200", #""-""#, "6", "200"],
          observers: ["3 observers"],
          rows: 20
        )
    )
    #expect(store.text.value == "")
  }

  private struct Shown: Decodable, Equatable {
    let title: String
    let first: String
    let clicked: String
    let below: [String]
    let last: String
    let found: [String]
    let second: [String]
    let observers: [String]
    let rows: Int
  }
}

private enum Note: DispatchState {
  typealias RelatedStoreType = NoteStore
  typealias RelatedActionType = NoteAction

  case write(String)
  case clear
}

private struct NoteAction: Actionable {
  typealias DispatchStateType = Note
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

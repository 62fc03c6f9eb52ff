import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the changes on an explorer's page, and of the comparison with a pinned dispatch.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)), .browser)
struct ExplorerChangesTests {
  private let store = ShelfStore.instantiate()
  private let circuits = TimeCircuits()

  @Test func changeOfALongListIsOneLineWithTheNewElements() async throws {
    put(1...24)
    put(1...30)
    let page = try await ExplorerPage(circuits)

    try await page.select(1)

    #expect(
      try await page.changes == [
        """
        ShelfStore.repositories: 24 → 30 elements, + Repository "octocat/25", \
        + Repository "octocat/26", …
        """
      ]
    )
  }

  @Test func pageShowsTheStoresThatWereCreatedAndReleasedBeforeADispatch() async throws {
    do {
      let counter = CounterStore.instantiate()
      say("Hello")
      withExtendedLifetime(counter) {}
    }
    say("Marty")
    let page = try await ExplorerPage(circuits)

    try await page.select(0)
    #expect(try await page.changes.first == "+ CounterStore was created")
    try await page.select(1)
    #expect(try await page.changes.first == "− CounterStore was released")
  }

  @Test func clickOnAChangeShowsEachChangedPartAndBothWholeValues() async throws {
    put(1...3)
    Invoker<Shelf>().invoke(.rate(1, stars: 99))
    put([1, 3])
    let page = try await ExplorerPage(circuits)

    try await page.select(1)
    #expect(try await page.changes == ["ShelfStore.repositories[2].stars: 2 → 99"])
    try await page.click("repositories", in: "changes")

    let shown = try await page.changes
    #expect(shown.count == 4)
    #expect(shown[0...1] == ["ShelfStore.repositories", "[2].stars: − 2+ 99"])
    #expect(shown[2].hasPrefix(#"− before: [Repository(id: 1, name: "octocat/1", stars: 1), "#))
    #expect(shown[3].contains("stars: 99"))

    try await page.select(2)
    let last = try await page.changes
    #expect(last[0] == "ShelfStore.repositories: 3 → 2 elements")
    #expect(last[1] == "3 → 2 elements")
    #expect(last[2] == #"[2]: − Repository(id: 2, name: "octocat/2", stars: 99)"#)
  }

  @Test func bothValuesOfAChangeFold() async throws {
    put(1...2)
    put(1...3)
    let page = try await ExplorerPage(circuits)

    try await page.select(1)
    try await page.click("repositories", in: "changes")
    try await page.click("after", in: "changes")
    try await page.click("[3]: Repository", in: "changes")

    let shown = try await page.changes
    #expect(shown.contains("+ after: 3 elements"))
    #expect(shown.suffix(4) == ["[3]: Repository", "id: 3", #"name: "octocat/3""#, "stars: 3"])
  }

  @Test func changeOfAPlainValueDoesNotFold() async throws {
    say("Hello", "Hello")
    let page = try await ExplorerPage(circuits)

    #expect(try await page.changes == [#"ShelfStore.note: "" → "Hello""#])
    #expect(try await page.browser.value(of: "!document.querySelector('#changes [aria-expanded]')"))
    try await page.select(1)
    #expect(try await page.changes == [#"ShelfStore.note: "Hello", which is equal"#])
  }

  @Test func changeBesideAnUnrecordedChangeShowsTheRealOldValue() async throws {
    say("a")
    store.note.value = "b"
    say("c")
    let page = try await ExplorerPage(circuits)

    try await page.select(1)

    #expect(try await page.changes == [#"ShelfStore.note: "b" → "c""#])
  }

  // MARK: The pin

  @Test func pinnedDispatchIsComparedWithTheSelectedDispatch() async throws {
    put(1...2)
    say("a")
    Invoker<Shelf>().invoke(.rate(0, stars: 7))
    say("b")
    put([1, 2, 3])
    let page = try await ExplorerPage(circuits)

    try await page.select(1)
    try await page.click("pin")
    #expect(try await page.text(of: "compared") == "Compared with dispatch 2")
    #expect(try await page.changes == ["Both moments have the same values."])
    try await page.select(4)

    #expect(
      try await page.changes.sorted() == [
        #"ShelfStore.note: "a" → "b""#,
        #"ShelfStore.repositories: 2 → 3 elements, + Repository "octocat/3""#,
      ]
    )
    try await page.select(0)
    #expect(try await page.changes == [#"ShelfStore.note: "a" → """#])
    let row = "document.querySelector('.row.pinned .number').textContent"
    #expect(try await page.browser.value(of: row) == "2")
  }

  @Test func samePinButtonAndEscapeEndTheComparison() async throws {
    say("a", "b")
    let page = try await ExplorerPage(circuits)
    let change = [#"ShelfStore.note: "a" → "b""#]

    try await page.browser.press("p")
    try await page.select(1)
    #expect(try await page.text(of: "compared") == "Compared with dispatch 1")
    #expect(try await page.changes == change)
    try await page.browser.press("Escape")
    #expect(try await page.text(of: "compared") == "")
    try await page.click("pin")
    #expect(try await page.text(of: "compared") == "Compared with dispatch 2")
    try await page.click("pin")
    #expect(try await page.text(of: "compared") == "")
    #expect(try await page.changes == change)
  }

  /// The trees of a long list contain only its first elements.
  @Test func comparisonFindsTheChangesOfRowsThatThePageDoesNotContain() async throws {
    put(1...10_000)
    Invoker<Shelf>().invoke(.rate(5_000, stars: 1))
    Invoker<Shelf>().invoke(.rate(5_000, stars: 2))
    Invoker<Shelf>().invoke(.rate(9_000, stars: 3))
    put(Array(1...10_000) + [20_000])
    let page = try await ExplorerPage(circuits)

    try await page.browser.press("p")
    try await page.select(3)
    #expect(
      try await page.changes == [
        "ShelfStore.repositories[5001].stars: 5001 → 2, [9001].stars: 9001 → 3"
      ]
    )
    try await page.select(4)
    #expect(
      try await page.changes == [
        """
        ShelfStore.repositories: 10000 → 10001 elements, + Repository "octocat/20000"
        """
      ]
    )
  }

  /// The elements of this list have no ids, and its trees are too long to be compared.
  @Test func comparisonOfALongListShowsEachInsertionAtItsLastPosition() async throws {
    let printer = PrinterStore.instantiate()
    let lines = (0..<200).map { "Line \($0)" }
    for list in [lines, ["b"] + lines, ["a", "b"] + lines, ["a", "b"] + lines.dropFirst()] {
      Invoker<PrinterStore.State>().invoke(.init(lines: list))
    }
    let page = try await ExplorerPage(circuits)

    try await page.browser.press("p")
    try await page.select(2)
    #expect(
      try await page.changes == [
        #"PrinterStore.lines: 200 → 202 elements, + [0]: "a", + [1]: "b""#
      ]
    )
    try await page.select(3)
    #expect(
      try await page.changes == [
        #"PrinterStore.lines: 200 → 201 elements, − [0]: "Line 0", + [0]: "a", …"#
      ]
    )
    withExtendedLifetime(printer) {}
  }

  @Test func comparisonOnALivePageEndsWhenTheHistoryForgetsThePinnedDispatch() async throws {
    let circuits = TimeCircuits(limits: .init(count: 3))
    let explorer = try LiveExplorer(circuits)
    say("a")
    let browser = try await BrowserPage(explorer.url)
    let compared = "document.getElementById('compared').textContent"
    let change = "document.querySelector('#changes .line')?.textContent"
    try await browser.wait(until: "all.length === 1")
    try await browser.press("p")

    say("b", "c")
    try await browser.wait(until: #"\#(change) === 'ShelfStore.note: "a" → "c"'"#)
    #expect(try await browser.value(of: compared) == "Compared with dispatch 1")
    say("d")
    try await browser.wait(until: #"\#(change) === 'ShelfStore.note: "c" → "d"'"#)
    #expect(try await browser.value(of: compared) == "")
  }

  @Test func comparisonShowsANewOrder() async throws {
    put([1, 2, 3])
    put([3, 1, 2])
    let page = try await ExplorerPage(circuits)

    try await page.browser.press("p")
    try await page.select(1)

    #expect(try await page.changes == ["ShelfStore.repositories order: 1, 2, 3 → 3, 1, 2"])
  }
}

private final class PrinterStore: Storable {
  struct State: DispatchState {
    typealias RelatedStoreType = PrinterStore
    let lines: [String]
  }

  private let lines = Variable<[String]>([])

  func reduce(with state: State) { lines.value = state.lines }
}

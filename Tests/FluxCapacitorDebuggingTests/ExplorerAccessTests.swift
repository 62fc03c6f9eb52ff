import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the keyboard, the layout and the safety of an explorer's page.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)), .browser)
struct ExplorerAccessTests {
  private let store = ShelfStore.instantiate()
  private let circuits = TimeCircuits()

  // MARK: The keyboard

  @Test func tabKeyReachesEveryControlAndLeavesEveryTree() async throws {
    put([1])
    let page = try await ExplorerPage(circuits)
    var reached: [String] = []

    for _ in 0..<9 {
      try await page.browser.press("Tab")
      reached.append(try await page.focus)
    }

    #expect(
      reached.map { String($0.prefix { $0 != "(" && $0 != ":" }) } == [
        "filter", "timeline", "search", "pin", "copy-state", "Shelf.put",
        "ShelfStore.repositories", "copy-stores", "ShelfStore",
      ]
    )
  }

  @Test func tabKeyReachesTheControlsOfALivePage() async throws {
    let explorer = try LiveExplorer(circuits)
    say("a", "b")
    circuits.undo()
    let browser = try await BrowserPage(explorer.url)
    try await browser.wait(until: "document.getElementById('position').textContent === '1 of 2'")
    var reached: [String] = []

    for _ in 0..<10 {
      try await browser.press("Tab")
      reached.append(try await browser.value(of: "document.activeElement.id"))
    }

    #expect(
      reached == [
        "filter", "undo", "play", "redo", "slider", "jump", "now", "save-flow", "save-page",
        "timeline",
      ]
    )
  }

  @Test func arrowKeysMoveThroughATreeAndFoldItsItems() async throws {
    put([1, 2])
    let page = try await ExplorerPage(circuits)
    let list = #"[Repository(id: 1, name: "octocat/1", stars: 1), "#
    let rows = (1...2).map {
      #"[\#($0)]: Repository(id: \#($0), name: "octocat/\#($0)", stars: \#($0))"#
    }
    func focus(after keys: String...) async throws -> String {
      for key in keys { try await page.browser.press(key) }
      return try await page.focus
    }
    try await page.browser.run("document.querySelector('#stores [role=treeitem]').focus()")

    #expect(try await focus(after: "ArrowDown").hasPrefix("repositories: \(list)"))
    #expect(try await focus(after: "ArrowRight") == "repositories: 2 elements")
    #expect(try await focus(after: "ArrowRight") == rows[0])
    #expect(try await focus(after: "ArrowDown") == rows[1])
    #expect(try await focus(after: "Enter") == "[2]: Repository")
    #expect(try await focus(after: "ArrowRight", "ArrowLeft") == "[2]: Repository")
    #expect(try await focus(after: " ") == rows[1])
    #expect(try await focus(after: "ArrowUp", "ArrowLeft") == "repositories: 2 elements")
    #expect(try await focus(after: "End") == "password: nil")
    #expect(try await focus(after: "Home") == "ShelfStore")
    #expect(try await focus(after: "ArrowLeft") == "ShelfStore: 4 variables")
  }

  @Test func arrowKeysStepThroughTheDispatchesOutsideOfTrees() async throws {
    say("a", "b", "c")
    let page = try await ExplorerPage(circuits)
    let item = "document.querySelector('#stores [role=treeitem]').focus()"

    try await page.browser.press("ArrowDown")
    #expect(try await page.text(of: "state") == #"Shelf.say("b")"#)
    try await page.browser.run("\(item)")
    try await page.browser.press("ArrowDown")
    #expect(try await page.text(of: "state") == #"Shelf.say("b")"#)
    try await page.browser.run("document.getElementById('timeline').focus()")
    try await page.browser.press("ArrowDown")
    #expect(try await page.text(of: "state") == #"Shelf.say("c")"#)
  }

  @Test func keysTypedIntoAFieldStayInTheField() async throws {
    say("a", "b")
    let page = try await ExplorerPage(circuits)

    try await page.browser.press("s", "p", "/", "c", "Home", "End")
    #expect(try await page.browser.value(of: "document.getElementById('search').value") == "p/c")
    #expect(try await page.text(of: "compared") == "")
    #expect(try await page.text(of: "state") == #"Shelf.say("a")"#)

    try await page.browser.press("Escape", "/", "b")
    #expect(try await page.browser.value(of: "document.getElementById('filter').value") == "b")
    #expect(try await page.text(of: "state") == #"Shelf.say("b")"#)
  }

  @Test func newDispatchLeavesTheFocusInATree() async throws {
    let explorer = try LiveExplorer(circuits)
    put([1])
    let browser = try await BrowserPage(explorer.url)
    try await browser.wait(until: "document.querySelector('#stores .variable')")
    try await browser.run("document.querySelector('#stores .variable').focus()")

    put([1, 2])
    let position = "document.getElementById('position').textContent"
    try await browser.wait(until: "\(position) === '2 of 2' && drawn === all[1]")

    let focus = "document.activeElement.querySelector('.label').textContent"
    #expect(try await browser.value(of: focus) == "repositories: ")
  }

  // MARK: The layout

  @Test(arguments: [320, 500, 800, 1_280])
  func pageFitsIntoANarrowWindow(width: Int) async throws {
    let explorer = try LiveExplorer(circuits, title: String(repeating: "Title", count: 30))
    put(1...24)
    say(String(repeating: "x", count: 1_500))
    Invoker<Shelf>().invoke(
      .name(String(repeating: "y", count: 200), for: String(repeating: "z", count: 90))
    )
    let browser = try await BrowserPage(explorer.url)
    try await browser.resize(to: width, 900)
    try await browser.wait(until: "document.getElementById('position').textContent === '3 of 3'")

    for row in 0..<3 {
      try await browser.run(
        """
        document.querySelectorAll(".row")[\(row)].click();
        for (let round = 0; round < 4; round += 1) {
          document.querySelectorAll("[aria-expanded=false] > .line").forEach((line) => line.click());
        }
        togglePin();
        """
      )
      let overflow: [String] = try await browser.value(
        of: """
          [...document.querySelectorAll("body, body :not(svg *, #flow-box *, script)")]
            .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
            .map((node) => node.tagName + "." + node.className)
          """
      )
      #expect(overflow.isEmpty)
      #expect(try await browser.value(of: "document.documentElement.scrollWidth <= \(width)"))
    }
  }

  @Test func detailsFollowTheTimelineInANarrowWindow() async throws {
    for number in 1...100 { say("\(number)") }
    let page = try await ExplorerPage(circuits)

    try await page.browser.resize(to: 500, 900)

    let edges: [Double] = try await page.browser.value(
      of: """
        [document.getElementById("timeline"), document.querySelector("main")]
          .flatMap((node) => [node.getBoundingClientRect().top, node.getBoundingClientRect().bottom])
        """
    )
    #expect(edges[1] - edges[0] == 315)
    #expect(edges[2] >= edges[1])
  }

  /// WCAG demands a contrast of at least 4.5.
  @Test(arguments: ["light", "dark"])
  func textsHaveEnoughContrastInBothColorSchemes(scheme: String) async throws {
    put([1])
    put([1, 2])
    let page = try await ExplorerPage(circuits)
    try await page.browser.setColorScheme(scheme)
    try await page.select(1)
    try await page.click("repositories", in: "changes")
    try await page.type("1", into: "search")

    let background: String = try await page.browser.value(
      of: "getComputedStyle(document.body).backgroundColor"
    )
    #expect(background == (scheme == "light" ? "rgb(251, 251, 252)" : "rgb(22, 24, 29)"))
    let weak: [String] = try await page.browser.value(
      of: """
        (() => {
          const channels = (color) => color.match(/[\\d.]+/g).map(Number);
          const light = (color) => channels(color).slice(0, 3).map((channel) => channel / 255)
            .map((part) => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
            .reduce((sum, part, place) => sum + part * [.2126, .7152, .0722][place], 0);
          const back = (node) => {
            const color = getComputedStyle(node).backgroundColor;
            return channels(color)[3] === 0 ? back(node.parentNode) : color;
          };
          return [...document.querySelectorAll("body *:not(svg *, script)")]
            .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
            .filter((node) => {
              const [one, other] = [light(getComputedStyle(node).color), light(back(node))];
              return (Math.max(one, other) + .05) / (Math.min(one, other) + .05) < 4.5;
            })
            .map((node) => node.textContent);
        })()
        """
    )
    #expect(weak == [])
  }

  @Test func stepRendersFewNodesOfALongHistoryAndALongList() async throws {
    let circuits = TimeCircuits(limits: .init(bytes: .max))
    // The dispatches share a few lists, because the history keeps each list.
    var lists = [(1...10_000).map(Repository.numbered)]
    for place in 0..<50 {
      lists.append(lists[place])
      lists[place + 1][place * 150].stars = -1
    }
    for number in 0..<200 { Invoker<Shelf>().invoke(.put(lists[abs(number % 100 - 50)])) }
    let page = try await ExplorerPage(circuits)
    try await page.click("repositories", in: "stores")

    try await page.browser.run("document.getElementById('timeline').focus()")
    try await page.browser.press("End", "ArrowUp")

    #expect(try await page.text(of: "count") == "200 dispatches")
    #expect(try await page.changes == ["ShelfStore.repositories[7051].stars: 7051 → -1"])
    let count: Int = try await page.browser.value(of: "document.querySelectorAll('*').length")
    #expect(count < 1_200)
  }

  // MARK: Safety

  @Test func pageContainsNoSecretsAndNoElementsFromValues() async throws {
    let markup = "</script><img id=intruder><style>*{display:none}</style>"
    Invoker<Shelf>().invoke(.signIn(Password(text: "swordfish")))
    Invoker<Shelf>().invoke(.name(markup, for: markup))
    put([1])
    let page = try await ExplorerPage(circuits)

    for row in [0, 1, 2, 1] {
      try await page.select(row)
      try await page.browser.run(
        """
        togglePin();
        for (let round = 0; round < 3; round += 1) {
          document.querySelectorAll("[aria-expanded=false] > .line").forEach((line) => line.click());
        }
        """
      )
    }

    #expect(try await page.stores.contains { $0.contains("<img id=intruder>") })
    #expect(try await page.browser.value(of: "!document.getElementById('intruder')"))
    #expect(
      try await page.browser.value(of: "!document.documentElement.outerHTML.includes('swordfish')")
    )
  }
}

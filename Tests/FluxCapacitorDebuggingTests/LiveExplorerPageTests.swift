import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of a live explorer's page in a real browser.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)), .browser)
struct LiveExplorerPageTests {
  private let store = TallyStore.instantiate()
  private let circuits = TimeCircuits()
  private let explorer: LiveExplorer

  private let count = #"document.getElementById("count").textContent"#
  private let state = #"document.getElementById("state").textContent"#
  private let position = #"document.getElementById("position").textContent"#
  private let notice = #"document.getElementById("notice").textContent"#
  private let status = #"document.getElementById("status").textContent"#

  /// A JavaScript expression for the variables and values that the page shows.
  private let values = """
    [...document.querySelectorAll("#stores .variable > .line")].map((line) => line.textContent).sort()
    """

  private let firstValue = "document.querySelector('#stores .variable .value').textContent"

  init() throws { explorer = try LiveExplorer(circuits, title: "Tally") }

  private func click(_ id: String) -> String { "document.getElementById(\"\(id)\").click()" }

  @Test func liveExplorerPageShowsNewDispatchesAndTravelsThroughTheHistory() async throws {
    let sums = ValueRecorder(store.sum)
    for number in 1...3 { Invoker<Tally>().invoke(.add(number)) }
    let page = try await BrowserPage(explorer.url)

    try await page.wait(until: "\(count) === '3 dispatches' && \(status) === 'Live'")
    #expect(try await page.value(of: "document.title") == "Tally")
    #expect(try await page.value(of: state) == "Tally.add(3)")

    Invoker<Tally>().invoke(.add(4))
    try await page.wait(until: "\(state) === 'Tally.add(4)' && \(position) === '4 of 4'")

    try await page.run("document.querySelectorAll('.row')[1].click(); \(click("jump"))")
    try await page.wait(until: "\(position) === '2 of 4'")
    #expect(store.sum.value == 3)

    try await page.run(click("redo"))
    try await page.wait(until: "\(position) === '3 of 4'")
    try await page.run(click("undo"))
    try await page.wait(until: "\(position) === '2 of 4'")
    try await page.run(click("now"))
    try await page.wait(until: "\(position) === '4 of 4'")
    #expect(store.sum.value == 10)

    try await page.run(
      """
      const slider = document.getElementById("slider");
      slider.value = 0;
      slider.dispatchEvent(new Event("input"))
      """
    )
    try await page.wait(until: "\(position) === '0 of 4'")
    try await page.run(click("play"))
    try await page.wait(until: "\(position) === '4 of 4'")
    #expect(sums.values == [0, 1, 3, 6, 10, 3, 6, 3, 10, 0, 1, 3, 6, 10])
  }

  @Test func liveExplorerPageReplacesLaterDispatchesAfterADispatchInThePast() async throws {
    for number in 1...3 { Invoker<Tally>().invoke(.add(number)) }
    let page = try await BrowserPage(explorer.url)
    try await page.wait(until: "\(count) === '3 dispatches'")
    try await page.run("document.querySelectorAll('.row')[0].click(); \(click("jump"))")
    try await page.wait(until: "\(position) === '1 of 3'")

    Invoker<Tally>().invoke(.add(7))
    try await page.wait(until: "\(count) === '2 dispatches'")
    // The page still shows the dispatch that was selected before the new dispatch.
    #expect(try await page.value(of: state) == "Tally.add(1)")
    try await page.run("document.querySelectorAll('.row')[1].click()")
    #expect(try await page.value(of: state) == "Tally.add(7)")
    #expect(try await page.value(of: firstValue) == "8")
  }

  @Test func eachLiveExplorerPageShowsEveryVariable() async throws {
    let pages = (try await BrowserPage(explorer.url), try await BrowserPage(explorer.url))
    Invoker<Tally>().invoke(.add(1))
    let pair = CoupleStore.instantiate()
    Invoker<Couple>().invoke(.second(2))
    Invoker<Tally>().invoke(.add(3))
    for page in [pages.0, pages.1] {
      try await page.wait(until: "\(state) === 'Tally.add(3)' && \(position) === '3 of 3'")
      let shown = ["first: 0", "password: nil", "second: 2", "sum: 4"]
      #expect(try await page.value(of: values) == shown)
    }
    withExtendedLifetime(pair) {}
  }

  @Test func liveExplorerPageShowsCurrentValuesAfterMissedDispatches() async throws {
    let circuits = TimeCircuits(limits: .init(count: 100))
    let explorer = try LiveExplorer(circuits)
    let pair = CoupleStore.instantiate()
    Invoker<Couple>().invoke(.first(1))
    let page = try await BrowserPage(explorer.url)
    try await page.wait(until: "\(position) === '1 of 1'")
    Invoker<Couple>().invoke(.second(5))
    for number in 1...2_000 { Invoker<Couple>().invoke(.first(number)) }
    Invoker<Tally>().invoke(.add(1))
    try await page.wait(until: "\(state) === 'Tally.add(1)' && \(position) === '100 of 100'")
    try await page.wait(until: "\(count) === '100 dispatches'")

    let shown = ["first: 2000", "password: nil", "second: 5", "sum: 1"]
    #expect(try await page.value(of: values) == shown)
    withExtendedLifetime(pair) {}
  }

  @Test func liveExplorerPagePerformsEveryStepOfQuickClicks() async throws {
    for _ in 0..<10 { Invoker<Tally>().invoke(.add(1)) }
    let page = try await BrowserPage(explorer.url)
    try await page.wait(until: "\(position) === '10 of 10'")
    try await page.run("for (let step = 0; step < 5; step += 1) \(click("undo"))")
    try await page.wait(until: "\(position) === '5 of 10'")
    #expect(store.sum.value == 5)

    // While the filter has the focus, the Enter key does not jump to the selected dispatch.
    try await page.run(
      """
      document.querySelectorAll(".row")[1].click();
      document.getElementById("filter").focus();
      document.getElementById("filter")
        .dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      \(click("redo"))
      """
    )
    try await page.wait(until: "\(position) === '6 of 10'")
    #expect(store.sum.value == 6)
  }

  @Test func liveExplorerPageRemovesUndoneDispatchesAfterAnOversizedDispatch() async throws {
    let circuits = TimeCircuits(limits: .init(count: 10, bytes: 4_000))
    let explorer = try LiveExplorer(circuits)
    for _ in 0..<3 { Invoker<Tally>().invoke(.add(1)) }
    let page = try await BrowserPage(explorer.url)
    try await page.wait(until: "\(position) === '3 of 3'")
    circuits.travel(to: 0)
    // This dispatch exceeds the history's limit of 4,000 bytes.
    Invoker<Tally>().invoke(.say(String(repeating: "x", count: 10_000)))
    try await page.wait(until: "\(position) === '0 of 0' && \(state) === ''")
    #expect(try await page.value(of: "document.getElementById('redo').disabled"))
  }

  /// The next explorer on the port has another secret, which the page doesn't know.
  @Test func liveExplorerPageShowsThatItsExplorerHasEnded() async throws {
    let port = UInt16(try #require(explorer.url.port))
    explorer.stop()
    let second = try LiveExplorer(circuits, port: port)
    Invoker<Tally>().invoke(.add(1))
    let page = try await BrowserPage(second.url)
    try await page.wait(until: "\(count) === '1 dispatches'")
    second.stop()
    try await page.wait(until: "\(status).startsWith('The process has gone.')")
  }

  @Test func liveExplorerPageShowsAnErrorInsteadOfSavingAFlowWithASecret() async throws {
    Invoker<Tally>().invoke(.add(2))
    let page = try await BrowserPage(explorer.url)
    try await page.wait(until: "\(status) === 'Live'")

    Invoker<Tally>().invoke(.signIn(Password(text: "swordfish")))
    try await page.wait(until: "\(count) === '2 dispatches'")
    try await page.run(click("save-flow"))
    try await page.wait(until: "\(notice).includes('contains a secret')")
    let all: String = try await page.value(of: "document.documentElement.textContent")
    #expect(!all.contains("swordfish"))
  }
}

import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the trees of values on an explorer's page.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)), .browser)
struct ExplorerTreeTests {
  private let store = ShelfStore.instantiate()
  private let circuits = TimeCircuits()

  @Test func openedItemsStayOpenForOtherDispatches() async throws {
    put([1, 2])
    Invoker<Shelf>().invoke(.rate(0, stars: 9))
    put([3, 1])
    let page = try await ExplorerPage(circuits)

    try await page.click("repositories", in: "stores")
    try await page.click("[1]: ", in: "stores")
    #expect(try await page.stores.contains("stars: 1"))
    try await page.select(1)
    #expect(try await page.stores.contains("stars: 9"))
    try await page.select(2)

    // The row has moved to another position.
    #expect(
      try await page.stores.prefix(7) == [
        "ShelfStore", "repositories: 2 elements",
        #"[3]: Repository(id: 3, name: "octocat/3", stars: 3)"#,
        "[1]: Repository", "id: 1", #"name: "octocat/1""#, "stars: 1",
      ]
    )
    try await page.click("ShelfStore", in: "stores")
    try await page.select(1)
    #expect(try await page.stores == ["ShelfStore: 4 variables"])
  }

  @Test func stateIsATreeThatFolds() async throws {
    put([1])
    let page = try await ExplorerPage(circuits)
    let text = #"Shelf.put([Repository(id: 1, name: "octocat/1", stars: 1)])"#
    #expect(try await page.state == [text])

    try await page.click("Shelf", in: "state")

    #expect(
      try await page.state == ["Shelf.put", #"[Repository(id: 1, name: "octocat/1", stars: 1)]"#]
    )
  }

  @Test func longListEndsWithTheNumberOfItsOtherElements() async throws {
    put(1...10_000)
    let page = try await ExplorerPage(circuits)

    try await page.click("repositories", in: "stores")

    let items = try await page.stores
    #expect(items.contains("repositories: 10000 elements"))
    #expect(items.contains { $0.wholeMatch(of: /… 99\d\d more/) != nil })
  }

  // MARK: Search

  @Test func searchShowsAndOpensTheMatchingItemsOfTheStateAndOfTheStores() async throws {
    put(1...3)
    say("nothing")
    Invoker<Shelf>().invoke(.name("Mona", for: "octocat/2"))
    let page = try await ExplorerPage(circuits)
    try await page.select(2)
    let all = try await page.stores

    try await page.type("CAT/2", into: "search")

    #expect(try await page.state == ["Shelf.name", #"for: "octocat/2""#])
    #expect(
      try await page.stores == [
        "ShelfStore", "repositories: 3 elements", "[2]: Repository", #"name: "octocat/2""#,
        "names: 1 element", #""octocat/2": "Mona""#,
      ]
    )
    try await page.type("zebra", into: "search")
    #expect(try await page.stores == ["No value contains the text."])
    try await page.type("", into: "search")
    #expect(try await page.stores == all)
  }

  // MARK: JSON

  @Test func copyButtonsCopyTheStateAndAllStoresAsJSON() async throws {
    say("a \"quoted\"\n<b>text</b>")
    Invoker<Shelf>().invoke(.signIn(Password(text: "swordfish")))
    let page = try await ExplorerPage(circuits)

    try await page.click("copy-state")
    #expect(
      try await page.copied(as: [String: String].self) == ["Shelf.say": "a \"quoted\"\n<b>text</b>"]
    )
    try await page.select(1)
    try await page.click("copy-stores")
    let stores = try await page.copied(as: [String: Stores].self)
    #expect(stores["ShelfStore"]?.note == "a \"quoted\"\n<b>text</b>")
    #expect(stores["ShelfStore"]?.password == "•••")
    #expect(stores["ShelfStore"]?.repositories == [])
  }

  private struct Stores: Decodable {
    let note: String
    let password: String?
    let repositories: [Row]
  }

  private struct Row: Decodable, Equatable {
    let id: Int
    let name: String
  }

  @Test func copyButtonCopiesTheSelectedItem() async throws {
    put([1, 2])
    Invoker<Shelf>().invoke(.name("Mona", for: "2"))
    let page = try await ExplorerPage(circuits)
    try await page.select(1)

    try await page.click("names", in: "stores")
    #expect(try await page.text(of: "copy-stores") == "Copy names as JSON")
    try await page.click("copy-stores")
    #expect(try await page.copied(as: [String: String].self) == ["2": "Mona"])

    try await page.click("repositories", in: "stores")
    try await page.browser.press("ArrowDown", "ArrowDown", "c")
    #expect(try await page.copied(as: Row.self) == Row(id: 2, name: "octocat/2"))
  }

  @Test func copyWorksWithoutTheClipboardInterface() async throws {
    say("Hello")
    let page = try await ExplorerPage(circuits)

    try await page.browser.run(
      """
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = (name) => {
        window.executed = [name, document.activeElement.value];
        return true;
      };
      """
    )
    try await page.click("copy-state")

    #expect(
      try await page.browser.value(of: "executed")
        == ["copy", "{\n  \"Shelf.say\": \"Hello\"\n}"]
    )
    #expect(try await page.browser.value(of: "!document.querySelector('textarea')"))
    #expect(try await page.text(of: "copied") == "Copied 26 characters.")
  }

  @Test func jsonKeepsTheDigitsOfNumbers() async throws {
    say("")
    let page = try await ExplorerPage(circuits)
    let tree = #"["e", "", 3, "", "n9007199254740993", "", "n-1.5e+20", "", "ninf", "", "nnil"]"#

    let json: String = try await page.browser.value(of: "toJSON(\(tree))")

    #expect(json.filter { !$0.isWhitespace } == #"[9007199254740993,-1.5e+20,"inf",null,"…3more"]"#)
  }
}

import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import Foundation

/// The page of a `FlowExplorer` in a browser, as its readers see the page.
struct ExplorerPage {
  let browser: BrowserPage
  private let folder: TemporaryFolder

  init(_ circuits: TimeCircuits, title: String = "Flow") async throws {
    folder = try TemporaryFolder()
    let file = folder.file("flow.html")
    try FlowExplorer(circuits, title: title).write(to: file)
    browser = try await BrowserPage(file)
  }

  /// Returns the texts of the visible items in a tree, in their order.
  func items(of tree: String) async throws -> [String] {
    try await browser.value(
      of: "[...document.querySelectorAll('#\(tree) .line')].map((line) => line.textContent)"
    )
  }

  /// The texts of the visible changes.
  var changes: [String] { get async throws { try await items(of: "changes") } }

  /// The texts of the visible items in the tree of the state.
  var state: [String] { get async throws { try await items(of: "state") } }

  /// The texts of the visible items in the tree of the stores.
  var stores: [String] { get async throws { try await items(of: "stores") } }

  /// Returns the text of an element.
  func text(of id: String) async throws -> String {
    try await browser.value(of: "document.getElementById('\(id)').textContent")
  }

  /// Clicks the first item of a tree with a text.
  func click(_ text: String, in tree: String) async throws {
    try await browser.run(
      """
      [...document.querySelectorAll("#\(tree) .line")]
        .find((line) => line.textContent.includes(`\(text)`)).click()
      """
    )
  }

  func click(_ id: String) async throws {
    try await browser.run("document.getElementById('\(id)').click()")
  }

  /// Selects the dispatch in a row of the timeline, counted from zero.
  func select(_ row: Int) async throws {
    try await browser.run("document.querySelectorAll('.row')[\(row)].click()")
  }

  func type(_ text: String, into id: String) async throws {
    try await browser.run(
      """
      document.getElementById("\(id)").value = `\(text)`;
      document.getElementById("\(id)").dispatchEvent(new Event("input"))
      """
    )
  }

  /// The element with the focus, as its id or its text.
  var focus: String {
    get async throws {
      try await browser.value(
        of: """
          document.activeElement.id
            || document.activeElement.querySelector(".line")?.textContent || "page"
          """
      )
    }
  }

  /// The last JSON that the page has copied.
  func copied<Value: Decodable>(as _: Value.Type) async throws -> Value {
    let text: String = try await browser.value(of: "copied")
    return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}

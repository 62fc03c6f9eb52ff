import FluxCapacitor
import Foundation

/// A page that shows what dispatches did: one HTML file, which needs nothing else.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try FlowExplorer(circuits).write(to: file)
/// ```
///
/// It has the timeline of the dispatches with their durations, a filter, each one's state and changes, the
/// variables that changed at any moment, and the way that the dispatch took, as a picture. The arrow keys
/// step through it. Nothing that comes from the application can become markup or script, and what is a
/// ``Secret`` is not in it.
public struct FlowExplorer: Sendable {
  private let page: Page

  /// A page of what time circuits remember, with all that is in the stores.
  ///
  /// - Parameters:
  ///   - circuits: What remembers the dispatches.
  ///   - title: What the page is called.
  public init(_ circuits: TimeCircuits, title: String = "Flow") {
    let contents = circuits.dispatcher.contentsOfStores
    self.init(circuits.events, contents, title: title)
  }

  /// A page of some dispatches, with what they have changed.
  ///
  /// - Parameters:
  ///   - events: The dispatches, the oldest first.
  ///   - title: What the page is called.
  public init(_ events: some Sequence<DispatchEvent>, title: String = "Flow") {
    self.init(events, [], title: title)
  }

  private init(
    _ events: some Sequence<DispatchEvent>,
    _ contents: [(store: any Storable.Type, contents: StoreContents)],
    title: String
  ) {
    let changed = events.lazy.flatMap(\.changes).map { ($0.store, $0.name, $0.variable) }
    let known = contents.flatMap { store, contents in
      contents.items.lazy.filter { !$0.value.isDerived }.map { (store, $0.name, $0.value) }
    }
    var variables: [Page.Variable] = []
    var names: Set<String> = []
    for (store, name, value) in known + changed where names.insert("\(store).\(name)").inserted {
      variables.append(
        Page.Variable(
          store: "\(store)",
          name: name,
          value: Description(of: value.anyValue).text,
          observers: value.observerCount
        )
      )
    }
    page = Page(title: title, dispatches: events.map(DispatchRecord.init), variables: variables)
  }

  /// The page.
  public var html: String {
    let template = String(decoding: PackageResources.Explorer_html, as: UTF8.self)
    return template.replacingOccurrences(of: "/*flow*/", with: page.json)
  }

  /// Writes the page to a file, in place of what is there.
  public func write(to url: URL) throws {
    try Data(html.utf8).write(to: url, options: .atomic)
  }

  private struct Page: Encodable, Sendable {
    /// A variable when the page is made.
    struct Variable: Encodable, Sendable {
      let store: String
      let name: String
      let value: String
      let observers: Int
    }

    let title: String
    let dispatches: [DispatchRecord]
    let variables: [Variable]

    /// With nothing in it that ends a script element, or begins a comment in one.
    var json: String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .withoutEscapingSlashes
      // Texts and numbers can always be encoded.
      let text = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
      return text.replacing("<", with: "\\u003c")
    }
  }
}

import FluxCapacitor
import Foundation

/// A page that shows what dispatches did: one HTML file, which needs nothing else.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try FlowExplorer(circuits.events).write(to: file)
/// ```
///
/// It has the timeline of the dispatches with their durations, a filter, each one's state and changes, the
/// variables that changed at any moment, and the way that the dispatch took, as a picture. The arrow keys
/// step through it. Nothing that comes from the application can become markup or script, and what is a
/// ``Secret`` is not in it.
public struct FlowExplorer: Sendable {
  private let page: Page

  /// A page of some dispatches.
  ///
  /// - Parameters:
  ///   - events: The dispatches, the oldest first.
  ///   - title: What the page is called.
  public init(_ events: some Sequence<DispatchEvent>, title: String = "Flow") {
    var observers: [String: Int] = [:]
    for change in events.lazy.flatMap(\.changes) {
      let name = "\(change.store).\(change.name)"
      if observers[name] == nil { observers[name] = change.variable.observerCount }
    }
    page = Page(title: title, dispatches: events.map(DispatchRecord.init), observers: observers)
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
    let title: String
    let dispatches: [DispatchRecord]

    /// How many observe each variable when the page is made.
    let observers: [String: Int]

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

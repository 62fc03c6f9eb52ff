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
/// ``Secret`` is not in it. Of long texts and collections it has excerpts, as a ``DispatchLogger`` writes them.
public struct FlowExplorer: Sendable {
  private let page: Page

  /// A page of what time circuits remember, with all that is in the stores.
  ///
  /// - Parameters:
  ///   - circuits: What remembers the dispatches.
  ///   - title: What the page is called.
  public init(_ circuits: TimeCircuits, title: String = "Flow") {
    let contents = circuits.dispatcher.contentsOfStores
    page = Page(of: circuits.events, contents, title: title)
  }

  /// A page of some dispatches, with what they have changed.
  ///
  /// - Parameters:
  ///   - events: The dispatches, the oldest first.
  ///   - title: What the page is called.
  public init(_ events: some Sequence<DispatchEvent>, title: String = "Flow") {
    page = Page(of: Array(events), [], title: title)
  }

  /// The page.
  public var html: String { String(decoding: data, as: UTF8.self) }

  /// Writes the page to a file, in place of what is there, or into a pipe or a device.
  public func write(to url: URL) throws {
    try data.replaceContents(of: url)
  }

  private var data: Data {
    let template = Data(PackageResources.Explorer_html)
    guard let place = template.range(of: Data("/*flow*/".utf8)) else { return template }
    return template[..<place.lowerBound] + page.json + template[place.upperBound...]
  }
}

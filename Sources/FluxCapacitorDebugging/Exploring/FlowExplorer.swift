import FluxCapacitor
import Foundation

/// A page that shows what dispatches did, as one HTML file that needs nothing else.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try FlowExplorer(circuits).write(to: file)
/// ```
///
/// It has the timeline of the dispatches with their durations, a filter, the state and the changes
/// of each, the values at any moment of the variables that changed, and a picture of the way that
/// the dispatch took. The arrow keys step through it. Nothing that comes from the application can
/// become markup or script, and a ``Secret`` is not in it. It has excerpts of long texts and
/// collections, as a ``DispatchLogger`` writes them.
public struct FlowExplorer: Sendable {
  private let page: PageUpdate

  /// Creates a page of what time circuits remember, with all that is in the stores.
  ///
  /// - Parameters:
  ///   - circuits: The time circuits that remember the dispatches.
  ///   - title: The title of the page.
  public init(_ circuits: TimeCircuits, title: String = "Flow") {
    var writer = PageWriter()
    let contents = circuits.dispatcher.contentsOfStores
    page = writer.update(title: title, events: circuits.events, contents: contents)
  }

  /// Creates a page of some dispatches, with what they have changed.
  ///
  /// - Parameters:
  ///   - events: The dispatches, the oldest first.
  ///   - title: The title of the page.
  public init(_ events: some Sequence<DispatchEvent>, title: String = "Flow") {
    var writer = PageWriter()
    page = writer.update(title: title, events: Array(events), contents: [])
  }

  /// The HTML of the page.
  public var html: String { String(decoding: data, as: UTF8.self) }

  /// Writes the page to a file, replacing what is there, or into a pipe or a device.
  public func write(to url: URL) throws {
    try data.replaceContents(of: url)
  }

  private var data: Data { FlowExplorer.data(page.json) }

  /// The page, with what it begins with.
  static func data(_ json: Data) -> Data {
    let template = Data(PackageResources.Explorer_html)
    guard let place = template.range(of: Data("/*flow*/".utf8)) else { return template }
    return template[..<place.lowerBound] + json + template[place.upperBound...]
  }
}

import FluxCapacitor
import Foundation

/// A page that shows dispatches and their changes, in one self-contained HTML file.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try FlowExplorer(circuits).write(to: file)
/// ```
///
/// The page has a timeline of the dispatches with their durations, and a filter. For each dispatch,
/// it shows the state, the changes, the values of the variables at that moment, and a picture of
/// the dispatch's path. The arrow keys step through the dispatches. Nothing that comes from the
/// application can become markup or script, and the page doesn't contain a ``Secret``. Long texts
/// and collections are cut, as in a ``DispatchLogger``.
public struct FlowExplorer: Sendable {
  private let page: PageUpdate

  /// Creates a page of the dispatches that time circuits remember, with all variables of the
  /// stores.
  ///
  /// - Parameters:
  ///   - circuits: The time circuits that remember the dispatches.
  ///   - title: The title of the page.
  public init(_ circuits: TimeCircuits, title: String = "Flow") {
    var writer = PageWriter()
    let contents = circuits.dispatcher.contentsOfStores
    page = writer.update(title: title, events: circuits.events, contents: contents)
  }

  /// Creates a page of some dispatches, with the variables that they have changed.
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

  /// Writes the page to a file, replacing its contents, or into a pipe or a device.
  public func write(to url: URL) throws {
    try data.replaceContents(of: url)
  }

  private var data: Data { FlowExplorer.data(page.json) }

  /// Returns the page with its initial data.
  static func data(_ json: Data) -> Data {
    let template = Data(PackageResources.Explorer_html)
    guard let place = template.range(of: Data("/*flow*/".utf8)) else { return template }
    return template[..<place.lowerBound] + json + template[place.upperBound...]
  }
}

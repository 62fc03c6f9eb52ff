import FluxCapacitor
import Foundation

/// An HTML page in a single file that shows dispatches and their changes.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try FlowExplorer(circuits).write(to: file)
/// ```
///
/// The page has a filter, and a timeline of the dispatches with their durations. For each dispatch, it shows the state, the
/// changed parts of each variable, and the values of all variables at that moment. Values are trees, which you can fold,
/// search and copy as JSON. If you pin a dispatch, you can compare its values with those after another one. A diagram shows
/// the dispatch's path from the state to the observers. The keyboard reaches everything. Text from the application can't
/// become markup or script.
///
/// The page shows `•••` in place of a ``Secret``. Long texts and collections are shortened, as in the lines of a
/// ``DispatchLogger``.
public struct FlowExplorer: Sendable {
  private let page: PageUpdate

  /// Creates a page with the dispatches that a ``TimeCircuits`` remembers, and with all variables of the stores.
  ///
  /// - Parameters:
  ///   - circuits: Remembers the dispatches.
  ///   - title: The title of the page.
  public init(_ circuits: TimeCircuits, title: String = "Flow") {
    var writer = PageWriter()
    let contents = circuits.dispatcher.contentsOfStores
    page = writer.update(title: title, events: circuits.events, contents: contents)
  }

  /// Creates a page with a sequence of dispatches, and with the variables that they changed.
  ///
  /// - Parameters:
  ///   - events: The dispatches, from oldest to newest.
  ///   - title: The title of the page.
  public init(_ events: some Sequence<DispatchEvent>, title: String = "Flow") {
    var writer = PageWriter()
    page = writer.update(title: title, events: Array(events), contents: [])
  }

  /// The HTML of the page.
  public var html: String { String(decoding: data, as: UTF8.self) }

  /// Replaces the contents of a file with the page, or writes the page into a pipe or a device.
  public func write(to url: URL) throws {
    try OutputFile(url).write(data)
  }

  private var data: Data { FlowExplorer.data(page.json) }

  /// Returns the HTML of a page, with the page's initial data.
  static func data(_ json: Data) -> Data { template.start + json + template.end }

  /// The page with its style and its scripts, before and after the place of the data.
  private static let template = {
    var page = Data(PackageResources.Explorer_html)
    let scripts = [
      PackageResources.Values_js, PackageResources.Tree_js, PackageResources.Explorer_js,
      PackageResources.Pin_js, PackageResources.Live_js,
    ]
    page.replace("/*style*/".utf8, with: PackageResources.Explorer_css, maxReplacements: 1)
    page.replace("/*script*/".utf8, with: Array(scripts.joined()), maxReplacements: 1)
    let place = page.range(of: Data("/*flow*/".utf8)) ?? page.endIndex..<page.endIndex
    return (start: page[..<place.lowerBound], end: page[place.upperBound...])
  }()
}

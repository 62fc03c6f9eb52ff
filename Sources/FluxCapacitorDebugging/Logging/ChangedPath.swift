import FluxCapacitor

/// A changed part of a variable's value, with its texts before and after, for structured logs.
public struct ChangedPath: Sendable, Hashable {
  /// The name of the store's property and the way to the part, such as `cards["milk"].title`.
  public let path: String

  /// The text of the part before the change, or the text `nil` if the part is new.
  public let oldText: String

  /// The text of the part after the change, or the text `nil` if the part has disappeared.
  public let newText: String
}

extension DispatchEvent.Change {
  /// The changed parts of the value, as ``DispatchLogger`` prints them.
  ///
  /// ```swift
  /// let dust = dispatcher.intercept { event in
  ///   for path in event.changes.flatMap(\.paths) {
  ///     print(path.path, path.oldText, path.newText)
  ///   }
  /// }
  /// ```
  ///
  /// The list contains at most 100 parts. A long part is an excerpt of about 1,000 bytes, and a ``Secret`` is `•••`.
  ///
  /// - Complexity: O(d), plus a fast comparison of each element of a collection. d is the number of changed parts.
  public var paths: [ChangedPath] {
    ValueDifference(from: oldValue, to: newValue).changes.map { change in
      ChangedPath(path: name + change.path.text, oldText: change.oldText, newText: change.newText)
    }
  }
}

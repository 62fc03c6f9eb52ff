import FluxCapacitor
import Foundation

/// An update for an explorer's page, with some dispatches and the data to show them.
struct PageUpdate: Encodable, Sendable {
  /// A variable, identified by a number because two variables can have the same name.
  struct Variable: Encodable, Sendable {
    let number: Int
    let store: String
    let name: String

    /// The current value, or nil if the changes in the update contain the value.
    let value: ValueTree?
    let observers: Int
  }

  typealias Dispatch = DispatchRecord<ValueTree, Change>

  struct Change: Encodable, Sendable {
    /// The number of the changed variable.
    let number: Int

    /// The changed parts of the value, or nil if the change is the change from the whole old value to the
    /// whole new value. The list is empty if both values are equal.
    let parts: [ValueDifference.Change]?

    /// Phrases about the parts that the list omits, or nil if the list is complete.
    let rest: [String]?

    /// The old value, or nil if the page already knows the value.
    let old: ValueTree?

    /// The new value, or nil if its tree is the same as the tree of the old value.
    let new: ValueTree?
  }

  /// The page's title if the page starts with this update, or nil if this update continues the page.
  let title: String?

  /// The sequence number of the first remembered dispatch.
  let first: Int

  /// The sequence number of the dispatch before `dispatches`. The page forgets all dispatches with higher
  /// sequence numbers.
  let after: Int

  /// The sequence number of the last dispatch that is not undone, or 0 if all dispatches are undone.
  let position: Int

  let dispatches: [Dispatch]
  let variables: [Variable]

  /// The update as one line of JSON without the character `<`, so that no value ends the page's script
  /// element.
  var json: Data {
    // Encoding can't fail, because an update contains only texts and numbers.
    let data = (try? JSONEncoder.ofFiles.encode(self)) ?? Data("{}".utf8)
    // Bytes are replaced, because a `Character` can combine `<` with neighboring scalars.
    let parts = data.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    return Data(parts.joined(separator: #"\u003c"#.utf8))
  }
}

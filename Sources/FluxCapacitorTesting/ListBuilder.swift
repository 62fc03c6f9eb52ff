/// Builds the list of states that `expectStates` expects, or of changes that a ``StoreTester`` expects.
@resultBuilder
public enum ListBuilder<Element> {
  /// Builds a list from the item in one line.
  public static func buildExpression(_ element: Element) -> [Element] { [element] }

  /// Joins the lists of all lines to one list.
  public static func buildBlock(_ lists: [Element]...) -> [Element] { lists.flatMap { $0 } }

  /// Builds the list of an `if` without an `else`.
  public static func buildOptional(_ list: [Element]?) -> [Element] { list ?? [] }

  /// Builds the list of the first branch of an `if` or a `switch`.
  public static func buildEither(first list: [Element]) -> [Element] { list }

  /// Builds the list of the second branch of an `if` or a `switch`.
  public static func buildEither(second list: [Element]) -> [Element] { list }

  /// Joins the lists of all iterations of a `for` loop.
  public static func buildArray(_ lists: [[Element]]) -> [Element] { lists.flatMap { $0 } }
}

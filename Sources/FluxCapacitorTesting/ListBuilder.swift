/// Builds the list of a test's expectations, one for each line: the states of `expectStates`, or
/// the changes of a ``StoreTester``.
@resultBuilder
public enum ListBuilder<Element> {
  /// Builds the item of one line.
  public static func buildExpression(_ element: Element) -> [Element] { [element] }

  /// Joins the items of all lines.
  public static func buildBlock(_ lists: [Element]...) -> [Element] { lists.flatMap { $0 } }

  /// Builds the items of an `if`.
  public static func buildOptional(_ list: [Element]?) -> [Element] { list ?? [] }

  /// Builds the items of an `if` that has an `else`, or of a `switch`.
  public static func buildEither(first list: [Element]) -> [Element] { list }

  /// Builds the items of an `else`, or of a `switch`.
  public static func buildEither(second list: [Element]) -> [Element] { list }

  /// Joins the items of a `for`.
  public static func buildArray(_ lists: [[Element]]) -> [Element] { lists.flatMap { $0 } }
}

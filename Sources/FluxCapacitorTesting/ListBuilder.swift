/// Lists what a test expects, one a line: the states of `expectStates`, the changes of a
/// ``StoreTester``.
@resultBuilder
public enum ListBuilder<Element> {
  /// One line.
  public static func buildExpression(_ element: Element) -> [Element] { [element] }

  /// All lines.
  public static func buildBlock(_ lists: [Element]...) -> [Element] { lists.flatMap { $0 } }

  /// Those of an `if`.
  public static func buildOptional(_ list: [Element]?) -> [Element] { list ?? [] }

  /// Those of an `if` that has an `else`, or of a `switch`.
  public static func buildEither(first list: [Element]) -> [Element] { list }

  /// Those of an `else`, or of a `switch`.
  public static func buildEither(second list: [Element]) -> [Element] { list }

  /// Those of a `for`.
  public static func buildArray(_ lists: [[Element]]) -> [Element] { lists.flatMap { $0 } }
}

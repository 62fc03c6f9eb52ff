/// A value that no log, file or page may show, such as a token or a password.
///
/// ```swift
/// struct Token: Secret {
///   let text: String
/// }
/// ```
///
/// This library writes `•••` in place of a secret, at any depth inside the structs, enums and collections of a state or a
/// variable. A value with a mirror of its own is written as the name of its type if it contains a secret, or too many parts
/// for a search. A row is named by its position if its id might be the text of a secret.
///
/// This library writes an object as its `description`, or as the name of its class if it has no description. A `Secret`
/// describes itself as `•••`, so an object's description can safely contain one. `dump` doesn't print a secret's
/// properties, because its mirror has no children.
public protocol Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Secret {
  /// `•••`.
  public var description: String { "•••" }

  /// `•••`.
  public var debugDescription: String { "•••" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

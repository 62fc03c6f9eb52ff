/// A value that no log, file or page may show, such as a token or a password.
///
/// ```swift
/// struct Token: Secret {
///   let text: String
/// }
/// ```
///
/// This library writes `•••` in place of a secret, at any depth inside the structs, enums and collections of a state or a
/// variable. If a value might contain a secret, or has too many parts for a search, its own description isn't used, and a value
/// with a mirror of its own is written as the name of its type. A row is named by its position if its id might be the text of a
/// secret.
///
/// The search looks into objects too, but doesn't read their variables: if the type of one is an enum, a class or a protocol, the
/// variable might be a secret. The search can't see what a closure has captured. So don't let a description, a mirror or an
/// `encode(to:)` call a closure that knows a secret.
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

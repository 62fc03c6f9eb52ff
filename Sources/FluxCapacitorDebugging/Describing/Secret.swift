/// A value that no log, file or page may show, such as a token or a password.
///
/// This library writes `•••` in place of a secret, at any depth inside the structs, enums and collections
/// of a state or a variable. An object is written as its `description`, or as the name of its class if the
/// object has no description. A `Secret` describes itself as `•••`, so the description of an object can
/// safely contain a secret. The mirror of a `Secret` has no children, so `dump` doesn't print the secret's
/// properties.
///
/// ```swift
/// struct Token: Secret {
///   let text: String
/// }
/// ```
public protocol Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Secret {
  /// `•••`.
  public var description: String { "•••" }

  /// `•••`.
  public var debugDescription: String { "•••" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value that no log, file or page may show, such as a token or a password.
///
/// This library writes `•••` in its place, however deep it is inside the structs, enums and
/// collections of a state or a variable. An object is written as its own description, or else as
/// the name of its class. A `Secret` describes itself as `•••` and has nothing to `dump`, so the
/// description of an object may contain it too.
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

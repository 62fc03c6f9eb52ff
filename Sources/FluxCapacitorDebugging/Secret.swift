/// A value that no log, file or page may show: a token, a password.
///
/// What this library writes has `•••` in its place, however deep it is inside a state or a variable.
///
/// ```swift
/// struct Token: Secret {
///   let text: String
/// }
/// ```
public protocol Secret {}

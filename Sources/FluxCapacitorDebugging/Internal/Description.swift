import FluxCapacitor

/// How a value is written: in parts, by the short names of its types and without its secrets.
///
/// A value with a description of its own is written by that, unless there is a secret in it. Objects
/// are not looked into: another thread may be changing them.
struct Description {
  let text: String

  /// - Parameter value: The value of a variable, or a part of a state.
  init(of value: Any) {
    text = Description.text(of: value)
  }

  /// - Parameter state: A state, which is written with the type that it belongs to.
  init(ofState state: Any) {
    let type = "\(type(of: state))"
    let text = Description.text(of: state)
    self.text =
      if text.hasPrefix(".") {
        type + text
      } else if text.hasPrefix(type) {
        text
      } else {
        "\(type): \(text)"
      }
  }

  private static func text(of value: Any) -> String {
    if value is any Secret { return "•••" }
    if let text = value as? String { return text.debugDescription }
    let mirror = Mirror(reflecting: value)
    if isComposed(value, mirror) { return parts(of: value, mirror) }
    if hasDescription(value) { return String(reflecting: value).withSourceNames }
    return mirror.displayStyle == .class ? "\(type(of: value))" : "\(value)"
  }

  /// Whether a value is written by its parts.
  private static func isComposed(_ value: Any, _ mirror: Mirror) -> Bool {
    switch mirror.displayStyle {
    case .optional, .collection, .set, .dictionary, .tuple: true
    case .struct, .enum: !hasDescription(value) || hasSecret(value)
    default: false
    }
  }

  private static func hasDescription(_ value: Any) -> Bool {
    value is any CustomDebugStringConvertible || value is any CustomStringConvertible
      || value is any TextOutputStreamable
  }

  /// Whether a value is secret, or something in it that is not in an object.
  static func hasSecret(_ value: Any) -> Bool {
    if value is any Secret { return true }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle != .class && mirror.children.contains { hasSecret($0.value) }
  }

  private static func parts(of value: Any, _ mirror: Mirror) -> String {
    let list = mirror.children.lazy.map { label, value in
      guard let label, !label.hasPrefix(".") else { return text(of: value) }
      return "\(label): \(text(of: value))"
    }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { text(of: $0.value) } ?? "nil"
    case .collection: return "[\(list.joined(separator: ", "))]"
    case .set: return "[\(list.sorted().joined(separator: ", "))]"
    case .dictionary:
      let entries = mirror.children.map { entry($0.value) }.sorted()
      return entries.isEmpty ? "[:]" : "[\(entries.joined(separator: ", "))]"
    case .tuple: return "(\(list.joined(separator: ", ")))"
    case .enum:
      guard let payload = mirror.children.first else { return ".\(value)" }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      let text = text(of: payload.value)
      return ".\(payload.label ?? "")\(isTuple ? text : "(\(text))")"
    default: return "\(type(of: value))(\(list.joined(separator: ", ")))"
    }
  }

  private static func entry(_ pair: Any) -> String {
    Mirror(reflecting: pair).children.map { text(of: $0.value) }.joined(separator: ": ")
  }
}

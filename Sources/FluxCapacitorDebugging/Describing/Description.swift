import FluxCapacitor

/// The text of a value and its parts, with short type names and without secrets.
///
/// If a value other than a collection has a `description` and contains no secret, this description is the
/// text. An object is written without its properties, because another thread might be changing the
/// properties. Long texts and collections are shortened to excerpts.
struct Description {
  let text: String

  /// - Parameters:
  ///   - value: The value of a variable, or a part of a state.
  ///   - other: A value to compare with `value`. An excerpt shows the first difference between the two
  ///     values.
  init(of value: Any, beside other: Any? = nil) {
    text = Description.text(of: value, beside: other)
  }

  /// - Parameter state: The state to describe. The text begins with the name of the state's type.
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

  private static func text(of value: Any, beside other: Any? = nil) -> String {
    if value is any Secret { return "•••" }
    if let text = value as? String {
      return text.excerpt(beside: other as? String) { $0.debugDescription }
    }
    let mirror = Mirror(reflecting: value)
    if isComposed(value, mirror) { return parts(of: value, mirror, beside: other) }
    if hasDescription(value) {
      return String(reflecting: value).withSourceNames.excerpt { $0 }
    }
    return mirror.displayStyle == .class ? "\(type(of: value))" : "\(value)"
  }

  /// Whether the text of a value consists of the texts of its parts.
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

  /// Returns whether a value is a secret, or contains a secret outside of objects.
  static func hasSecret(_ value: Any) -> Bool {
    if value is any Secret { return true }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle != .class && mirror.children.contains { hasSecret($0.value) }
  }

  private static func parts(of value: Any, _ mirror: Mirror, beside other: Any?) -> String {
    let others = other.flatMap { type(of: $0) == type(of: value) ? Mirror(reflecting: $0) : nil }
    switch mirror.displayStyle {
    case .optional:
      return mirror.children.first.map {
        text(of: $0.value, beside: others?.children.first?.value)
      } ?? "nil"
    case .collection:
      let difference = { firstDifference(value, other) }
      return "[\(mirror.children.excerpt(from: difference) { text(of: $0.value) })]"
    case .set:
      return sorted(mirror, beside: others) { text(of: $0) }
    case .dictionary:
      let entries = sorted(mirror, beside: others, entry(_:))
      return entries == "[]" ? "[:]" : entries
    case .tuple: return "(\(fields(of: mirror, beside: others)))"
    case .enum:
      guard let payload = mirror.children.first else { return ".\(value)" }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      let other = others?.children.first.flatMap { $0.label == payload.label ? $0.value : nil }
      let text = text(of: payload.value, beside: other)
      return ".\(payload.label ?? "")\(isTuple ? text : "(\(text))")"
    default: return "\(type(of: value))(\(fields(of: mirror, beside: others)))"
    }
  }

  private static func fields(of mirror: Mirror, beside others: Mirror?) -> String {
    let others = others?.children.makeIterator()
    return mirror.children.map { field in
      let text = text(of: field.value, beside: others?.next()?.value)
      guard let label = field.label, !label.hasPrefix(".") else { return text }
      return "\(label): \(text)"
    }.joined(separator: ", ")
  }

  /// Returns the text of a set or a dictionary, with the elements sorted by their texts.
  private static func sorted(
    _ mirror: Mirror,
    beside others: Mirror?,
    _ text: (Any) -> String
  ) -> String {
    let texts = mirror.children.map { text($0.value) }.sorted()
    let difference = { firstDifference(texts, others?.children.map { text($0.value) }.sorted()) }
    return "[\(texts.excerpt(from: difference) { $0 })]"
  }

  private static func firstDifference(_ value: Any, _ other: Any?) -> Int? {
    guard let value = value as? any Collection, let other else { return nil }
    return value.firstDifference(from: other) { value, other in
      (value as? any Equatable)?.isEqual(to: other) ?? (text(of: value) == text(of: other))
    }
  }

  private static func entry(_ pair: Any) -> String {
    Mirror(reflecting: pair).children.map { text(of: $0.value) }.joined(separator: ": ")
  }
}

extension DispatchEvent.Change {
  /// The texts of the old and the new value, with excerpts that show the first difference.
  var texts: (old: String, new: String) {
    (
      Description(of: oldValue, beside: newValue).text,
      Description(of: newValue, beside: oldValue).text
    )
  }

  /// The changed rows, if the values are tables or other lists of rows with ids. At most 100 rows are
  /// listed.
  var rows: [DispatchRecord.Row]? {
    guard let rows = RowDifference.all(from: oldValue, to: newValue) else { return nil }
    let shown = rows.prefix(100).map { row in
      DispatchRecord.Row(
        name: "[\(Description(of: row.id).text)]\(row.detail)",
        old: row.old.map { Description(of: $0, beside: row.new).text } ?? "nil",
        new: row.new.map { Description(of: $0, beside: row.old).text } ?? "nil"
      )
    }
    guard rows.count > shown.count else { return shown }
    let rest = DispatchRecord.Row(name: "", old: "…", new: "\(rows.count - shown.count) more")
    return shown + [rest]
  }
}

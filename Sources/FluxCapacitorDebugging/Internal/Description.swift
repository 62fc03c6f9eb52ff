import FluxCapacitor

/// How a value is written: as Swift describes it, or in parts if one of them is secret.
struct Description {
  let text: String

  /// - Parameter value: The value of a variable, or a part of a state.
  init(of value: Any) {
    text = Description.text(of: value).withSourceNames
  }

  /// - Parameter state: A state, which is written with the type that it belongs to.
  init(ofState state: Any) {
    let type = String(reflecting: type(of: state)).withSourceNames.split(separator: ".").last ?? ""
    let text =
      Description.hasSecret(state) ? Description.parts(of: state) : String(describing: state)
    let isNamed = text.hasPrefix("\(type)(") || text.hasPrefix("\(type).")
    self.text = (isNamed ? text : "\(type).\(text)").withSourceNames
  }

  private static func text(of value: Any) -> String {
    if value is any Secret { return "•••" }
    return hasSecret(value) ? parts(of: value) : String(reflecting: value)
  }

  private static func hasSecret(_ value: Any, inside objects: Set<ObjectIdentifier> = []) -> Bool {
    if value is any Secret { return true }
    var objects = objects
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .class {
      let (isNew, _) = objects.insert(ObjectIdentifier(value as AnyObject))
      guard isNew else { return false }
    }
    var next: Mirror? = mirror
    while let mirror = next {
      if mirror.children.contains(where: { hasSecret($0.value, inside: objects) }) { return true }
      next = mirror.superclassMirror
    }
    return false
  }

  /// A value by its parts, much as `String(reflecting:)` writes it.
  private static func parts(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { (label: $0.label, text: text(of: $0.value)) }
    let list = children.map { child in
      child.label.map { $0.hasPrefix(".") ? child.text : "\($0): \(child.text)" } ?? child.text
    }
    switch mirror.displayStyle {
    case .optional: return children.first.map { "Optional(\($0.text))" } ?? "nil"
    case .collection, .set: return "[\(list.joined(separator: ", "))]"
    case .dictionary: return "[\(mirror.children.map { entry($0.value) }.joined(separator: ", "))]"
    case .tuple: return "(\(list.joined(separator: ", ")))"
    case .enum:
      guard let payload = mirror.children.first else { return "\(value)" }
      let isTuple = Mirror(reflecting: payload.value).displayStyle == .tuple
      let text = text(of: payload.value)
      return "\(payload.label ?? "")\(isTuple ? text : "(\(text))")"
    default: return "\(type(of: value))(\(list.joined(separator: ", ")))"
    }
  }

  private static func entry(_ pair: Any) -> String {
    Mirror(reflecting: pair).children.map { text(of: $0.value) }.joined(separator: ": ")
  }
}

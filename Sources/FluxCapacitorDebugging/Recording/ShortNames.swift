import FluxCapacitor

/// The names of types without their modules, but for those that others have too.
struct ShortNames {
  private var owners: [String: Set<ObjectIdentifier>] = [:]

  /// Names that are short, whoever has them too.
  init() {}

  init(of types: [any Any.Type]) {
    for type in types { owners["\(type)", default: []].insert(ObjectIdentifier(type)) }
  }

  subscript(_ type: any Any.Type) -> String {
    let name = "\(type)"
    return (owners[name]?.count ?? 0) > 1 ? String(reflecting: type) : name
  }
}

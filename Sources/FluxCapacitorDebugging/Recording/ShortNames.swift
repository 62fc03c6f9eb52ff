/// Names of types without their modules. If two types have the same short name, the second type's name
/// includes the module.
struct ShortNames {
  private var names: [ObjectIdentifier: String] = [:]
  private var taken: Set<String> = []

  subscript(_ type: any Any.Type) -> String {
    mutating get {
      if let name = names[ObjectIdentifier(type)] { return name }
      let short = "\(type)"
      let name = taken.insert(short).inserted ? short : String(reflecting: type)
      names[ObjectIdentifier(type)] = name
      return name
    }
  }

  func hasName(for type: any Any.Type) -> Bool { names[ObjectIdentifier(type)] != nil }
}

/// The variables and constants of a store, by the names of its properties.
///
/// It finds those in structs, tuples, optionals, arrays and dictionaries too, and not those of other
/// objects. A variable that a constant publishes has the constant's name, and its own besides.
package struct StoreContents: Sendable {
  package struct Item: Sendable {
    package let name: String
    package fileprivate(set) var otherName: String?
    package let value: any AnyPrimitiveValue
  }

  package private(set) var items: [Item] = []

  package init(of store: Any) {
    var next: Mirror? = Mirror(reflecting: store)
    var mirrors: [Mirror] = []
    while let mirror = next {
      mirrors.insert(mirror, at: 0)
      next = mirror.superclassMirror
    }
    for mirror in mirrors { add(mirror.children, prefix: "") }
  }

  package func item(for value: any AnyPrimitiveValue) -> Item? {
    items.first { $0.value.identity == value.identity }
  }

  package func item(named name: String) -> Item? {
    items.first { $0.name == name } ?? items.first { $0.otherName == name }
  }

  private mutating func add(_ children: Mirror.Children, prefix: String) {
    for (label, child) in children {
      let label = (label ?? "").replacing("$__lazy_storage_$_", with: "")
      if let value = child as? any AnyPrimitiveValue {
        add(Item(name: prefix + label, value: value))
      } else if let values = child as? [any AnyPrimitiveValue] {
        add(values.enumerated().map { ("\(label)[\($0)]", $1) }, prefix: prefix)
      } else if let values = child as? [AnyHashable: any AnyPrimitiveValue] {
        let sorted = values.map { ("\(label)[\($0.base)]", $1) }.sorted { $0.0 < $1.0 }
        add(sorted, prefix: prefix)
      } else {
        let mirror = Mirror(reflecting: child)
        switch mirror.displayStyle {
        case .optional: add(mirror.children.map { (label, $0.value) }, prefix: prefix)
        case .struct, .tuple: add(mirror.children, prefix: "\(prefix)\(label).")
        default: break
        }
      }
    }
  }

  private mutating func add(_ children: [(String, Any)], prefix: String) {
    add(Mirror.Children(children.map { (label: $0.0 as String?, value: $0.1) }), prefix: prefix)
  }

  private mutating func add(_ item: Item) {
    guard let index = items.firstIndex(where: { $0.value.identity == item.value.identity }) else {
      return items.append(item)
    }
    let known = items[index]
    if item.value.isConstant, !known.value.isConstant {
      items[index] = item
      items[index].otherName = known.name
    } else if known.otherName == nil {
      items[index].otherName = item.name
    }
  }
}

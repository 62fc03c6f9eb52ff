/// The way from a whole value to one of its parts.
package struct ValuePath: Sendable {
  /// The path as people read it, such as `.cards["milk"].title`. The text of the whole value is empty.
  package private(set) var text = ""

  /// The path in code that sets the part, such as `.cards["milk"]?.title`. The path is nil if no assignment can
  /// set the part alone.
  package private(set) var code: String? = ""

  /// The offsets in `text`, in UTF-16, of the subscripts that are positions of elements without ids.
  private(set) var places: [Int] = []

  /// Whether the part is optional in code. Code can set an optional part to nil, and must unwrap the part to
  /// use a property.
  package private(set) var isOptional = false

  private func appending(_ text: String, code: String?, isOptional: Bool = false) -> ValuePath {
    var path = self
    path.text += text
    path.code = self.code.flatMap { old in code.map { old + (self.isOptional ? "?" : "") + $0 } }
    path.isOptional = isOptional
    return path
  }

  /// The path of a property, or of a tuple's element.
  func field(_ label: String) -> ValuePath {
    // The label of a tuple's element without a name is its position, such as `.0`.
    let name = label.hasPrefix(".") ? label : ".\(label)"
    return appending(name, code: name)
  }

  /// The path of an enum case's payload.
  func payload(of label: String) -> ValuePath { appending(".\(label)", code: nil) }

  /// The path of the value in an optional.
  var unwrapped: ValuePath {
    var path = self
    if isOptional { path.code?.append("?") }
    path.isOptional = true
    return path
  }

  /// The same path, for parts that no assignment can set alone.
  var withoutCode: ValuePath {
    var path = self
    path.code = nil
    return path
  }

  /// The path of an element in a list. The path of a row has the row's id instead of the position.
  func element(at position: Int, row: Any? = nil) -> ValuePath {
    let id = row.flatMap(Reflection.id)
    var path = appending(id.map(subscripted) ?? "[\(position)]", code: "[\(position)]")
    if id == nil { path.places.append(text.utf16.count) }
    return path
  }

  /// The path of a dictionary's entry.
  func entry(for key: Any) -> ValuePath {
    let tree = ValueTree(of: key, within: TreeBudget(bytes: 100))
    let text = "[\(tree.text)]"
    return appending(text, code: tree.code.map { "[\($0)]" }, isOptional: true)
  }

  /// The path of a set's member.
  func member(_ member: Any) -> ValuePath { appending(subscripted(member), code: nil) }

  /// The path of a row's position.
  var position: ValuePath { appending(" position", code: nil) }

  private func subscripted(_ key: Any) -> String {
    "[\(ValueTree(of: key, within: TreeBudget(bytes: 100)).text)]"
  }
}

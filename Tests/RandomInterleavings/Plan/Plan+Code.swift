#if DEBUG
  extension Plan {
    /// A test for `InterleavingTests` that explores this plan.
    func code(seed: UInt64) -> String {
      """
      @Test func randomScenario() {
        explore(
          seed: \(seed),
          \(Plan.code(of: self, indent: "    "))
        )
      }
      """
    }

    /// Returns Swift code for a value, without the properties that have their usual value.
    private static func code(of value: Any, indent: String) -> String {
      let mirror = Mirror(reflecting: value)
      let inner = indent + "  "
      func list(_ opening: String, _ parts: [String], _ closing: String) -> String {
        let line = opening + parts.joined(separator: ", ") + closing
        if !line.contains("\n"), indent.count + line.count < 110 { return line }
        return
          "\(opening)\n\(parts.map { inner + $0 }.joined(separator: ",\n"))\n\(indent)\(closing)"
      }
      func properties(without usual: Any) -> [String] {
        zip(mirror.children, Mirror(reflecting: usual).children).compactMap { child, usual in
          if "\(child.value)" == "\(usual.value)" { return nil }
          return "\(child.label ?? ""): \(code(of: child.value, indent: inner))"
        }
      }
      switch value {
      case let op as Op:
        var parts = [".\(op.kind)", "\(op.target)"]
        if op.payload > 0 { parts.append("payload: \(op.payload)") }
        if "\(op.watch)" != "\(Watch())" { parts.append(code(of: op.watch, indent: inner)) }
        if !op.body.isEmpty { parts.append("body: \(code(of: op.body, indent: indent))") }
        return "Op(\(parts.joined(separator: ", ")))"
      case is Plan: return list("Plan(", properties(without: Plan()), ")")
      case is Watch: return list("Watch(", properties(without: Watch()), ")")
      default: break
      }
      switch mirror.displayStyle {
      case .collection:
        return list("[", mirror.children.map { code(of: $0.value, indent: inner) }, "]")
      case .enum: return ".\(value)"
      case .optional: return code(of: mirror.children.first?.value ?? 0, indent: indent)
      default: return "\(value)"
      }
    }
  }
#endif

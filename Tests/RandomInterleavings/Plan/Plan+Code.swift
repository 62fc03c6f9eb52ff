#if DEBUG
  extension Plan {
    /// A test for `InterleavingTests` that explores this plan.
    func code(seed: UInt64) -> String {
      """
      @testable import RandomInterleavings

      @Test func randomScenario() {
        explore(
          seed: \(seed),
          \(Plan.code(of: self))
        )
      }
      """
    }

    /// Returns Swift code for a value, without the properties that have their usual value.
    private static func code(of value: Any) -> String {
      let mirror = Mirror(reflecting: value)
      func properties(without usual: Any) -> [String] {
        zip(mirror.children, Mirror(reflecting: usual).children).compactMap { child, usual in
          if "\(child.value)" == "\(usual.value)" { return nil }
          return "\(child.label ?? ""): \(code(of: child.value))"
        }
      }
      switch value {
      case let op as Op:
        var parts = [".\(op.kind)", "\(op.target)"]
        if op.payload > 0 { parts.append("payload: \(op.payload)") }
        if "\(op.watch)" != "\(Watch())" { parts.append(code(of: op.watch)) }
        if !op.body.isEmpty { parts.append("body: \(code(of: op.body))") }
        return "Op(\(parts.joined(separator: ", ")))"
      case is Plan: return "Plan(\(properties(without: Plan()).joined(separator: ",\n      ")))"
      case is Watch: return "Watch(\(properties(without: Watch()).joined(separator: ", ")))"
      case let lists as [[Op]]:
        return "[\n        \(lists.map(code).joined(separator: ",\n        "))]"
      case let values as [Any]: return "[\(values.map(code).joined(separator: ", "))]"
      default: break
      }
      switch mirror.displayStyle {
      case .enum: return ".\(value)"
      case .optional: return code(of: mirror.children.first?.value ?? 0)
      default: return "\(value)"
      }
    }
  }
#endif

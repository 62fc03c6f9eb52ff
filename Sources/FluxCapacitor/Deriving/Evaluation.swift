/// The values of derived constants at one state of the variables that the constants derive from.
///
/// All variables are locked while an evaluation captures their values, so the captured values belong
/// together. The evaluation then runs the formulas of the constants with no lock held. The constants are
/// computed in a loop, each after its sources, because recursion along a long chain would overflow the
/// stack.
@usableFromInline final class Evaluation {
  private typealias Result = (channel: ObjectIdentifier, value: any Sendable, edition: StateID)

  /// The values computed so far, starting with the values of the variables. The edition of a variable is
  /// its version.
  private var results: [ObjectIdentifier: Result] = [:]

  /// The most recent result, which the next constant in a chain uses.
  private var latest: Result?

  /// Captures the values of the node's variables. The caller must hold the locks of these variables.
  @usableFromInline init(of node: Node) {
    for root in node.roots.map(\.channel) {
      add(root.anyValue, edition: StateID(root.version), of: root)
    }
  }

  private func result(of channel: AnyChannel) -> Result? {
    let id = ObjectIdentifier(channel)
    return latest?.channel == id ? latest : results[id]
  }

  @usableFromInline func value<Value>(of channel: AnyChannel) -> Value {
    result(of: channel)?.value as? Value ?? channel.trapUncomputed()
  }

  /// Computes a derived constant, after computing each constant upstream that has no result yet.
  @usableFromInline func compute(_ channel: AnyChannel) {
    channel.derivedNode?.visitSourcesFirst(unless: { $0.channel.use(result) != nil }) { node in
      node.channel.use { node.operations.evaluate($0, self) }
    }
  }

  @usableFromInline func add(_ value: any Sendable, edition: StateID, of channel: AnyChannel) {
    let result: Result = (ObjectIdentifier(channel), value, edition)
    (results[result.channel], latest) = (result, result)
  }

  @usableFromInline func edition(of channel: AnyChannel) -> StateID {
    result(of: channel)?.edition ?? .zero
  }

  /// Returns the editions of a node's sources, combined into one number.
  @usableFromInline func editionOfSources(of node: Node) -> StateID {
    node.sources.reduce(.zero) { sum, source in
      sum + source.use { $0.weight * edition(of: $0.channel) }
    }
  }

  /// Returns the state of the variables that a node derives from.
  @usableFromInline func state(of node: Node) -> StateID { node.state(edition) }
}

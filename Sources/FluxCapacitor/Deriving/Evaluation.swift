/// The values of derived constants at one state of the variables that they derive from.
///
/// All variables are locked while their values are captured, so the values belong together. The
/// constants are computed from them with no lock held. The computation is a loop, sources first,
/// because recursion along a long chain would overflow the stack.
@usableFromInline final class Evaluation {
  private typealias Result = (channel: ObjectIdentifier, value: any Sendable, edition: StateID)

  /// The results so far. They begin with the variables, whose editions are their versions.
  private var results: [ObjectIdentifier: Result] = [:]

  /// The result that was added last. In a chain, the next constant asks for this one.
  private var latest: Result?

  /// Captures the values of the variables, which must be locked.
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

  /// Computes a derived constant, after the constants that it derives from.
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

  /// The editions of a derived constant's sources, as one number.
  @usableFromInline func editionOfSources(of node: Node) -> StateID {
    node.sources.reduce(.zero) { sum, source in
      sum + source.use { $0.weight * edition(of: $0.channel) }
    }
  }

  /// The state of the variables that a node derives from.
  @usableFromInline func state(of node: Node) -> StateID { node.state(edition) }
}

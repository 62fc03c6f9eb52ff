/// The values of derived constants at one moment of the variables that the constants derive from.
///
/// All variables are locked while their values are captured, so the captured values belong together. The
/// evaluation then runs the formulas of the constants with no lock held. The constants are computed in a
/// loop, each after its sources, because recursion along a long chain would overflow the stack.
@usableFromInline final class Evaluation {
  /// The values and versions of variables at one moment. Several threads can evaluate constants from the same
  /// values.
  @usableFromInline final class Snapshot: Sendable {
    fileprivate let values: [ObjectIdentifier: any Sendable]
    private let versions: [ObjectIdentifier: Version]

    /// Captures the values of the node's variables. The caller must hold the locks of these variables.
    init(of node: Node) {
      let roots = node.roots.map(\.channel)
      values = .init(uniqueKeysWithValues: roots.map { (ObjectIdentifier($0), $0.anyValue) })
      versions = .init(uniqueKeysWithValues: roots.map { (ObjectIdentifier($0), $0.version) })
    }

    fileprivate func fingerprint(of variable: AnyChannel) -> Fingerprint {
      versions[ObjectIdentifier(variable)].map { Fingerprint($0) } ?? .zero
    }
  }

  private(set) var snapshot: Snapshot?

  /// Whether a constant that skips equal values might skip the value computed here, because its change still waits for
  /// delivery. Then what is remembered is only for evaluations of the same kind.
  @usableFromInline var isProvisional = false

  /// The values computed so far, starting with the values of the variables.
  private var values: [ObjectIdentifier: any Sendable]

  /// The most recent value, which the next constant in a chain uses.
  private var latest: (channel: ObjectIdentifier, value: any Sendable)?

  init(from snapshot: Snapshot) {
    self.snapshot = snapshot
    values = snapshot.values
  }

  private func anyValue(of channel: AnyChannel) -> (any Sendable)? {
    let id = ObjectIdentifier(channel)
    return latest?.channel == id ? latest?.value : values[id]
  }

  @usableFromInline func value<Value>(of channel: AnyChannel) -> Value {
    // A cast of the optional would flatten or wrap a value that is an optional or an existential itself.
    guard let found = anyValue(of: channel), let value = found as? Value else {
      return channel.trapUncomputed()
    }
    return value
  }

  /// Computes a derived constant, after computing each unknown constant upstream.
  @usableFromInline func compute(_ channel: AnyChannel) {
    channel.derivedNode?.visitSourcesFirst { node in
      node.channel.use { channel in
        if anyValue(of: channel) == nil { node.perform(channel, node, .recall(self)) }
        return anyValue(of: channel) != nil
      }
    } visit: { node in
      node.channel.use { node.perform($0, node, .evaluate(self)) }
    }
  }

  @usableFromInline func add<Value: Sendable>(_ value: Value, of channel: AnyChannel) {
    let id = ObjectIdentifier(channel)
    releaseAfterUnlocking(value)
    (values[id], latest) = (value, (id, value))
  }

  /// Returns the fingerprint of the versions of a node's variables.
  @usableFromInline func fingerprint(of node: Node) -> Fingerprint {
    node.fingerprint(snapshot.unsafelyUnwrapped.fingerprint)
  }

  /// Releases the values of the variables, or keeps them while this thread holds a lock if the variables have other values
  /// now. To keep them always would let a transaction copy an array at each change after a read.
  func forgetVariables(of node: Node) {
    node.lockRoots()
    if fingerprint(of: node) != node.currentFingerprint { releaseAfterUnlocking(snapshot) }
    (values, snapshot) = ([:], nil)
    node.unlockRoots()
  }
}

/// Where a formula finds the values of its sources.
@usableFromInline enum Reading {
  /// The values that the region's deliverer has computed. An input instead provides the value that was
  /// brought to the input.
  case region

  /// The values that an evaluation contains.
  case evaluation(Evaluation)

  /// The value of the only source, which is a variable. The formula stores the variable's version at
  /// this address.
  case variable(UnsafeMutablePointer<Version>)
}

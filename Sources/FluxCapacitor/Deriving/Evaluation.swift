/// The values of derived constants at one state of the variables that they derive from.
///
/// The values of the variables are captured while all of them are locked, so that they belong
/// together; the rest is computed from them with no lock held. This is a loop, sources first,
/// because recursion along a long chain would overflow the stack.
@usableFromInline
final class Evaluation {
  /// What is known so far: first the variables, whose editions are their versions.
  private var known: [ObjectIdentifier: (value: any Sendable, edition: CombinedVersion)] = [:]

  /// Captures the variables, which must be locked.
  init(of derivation: Derivation) {
    for root in derivation.roots {
      let edition = CombinedVersion(root.channel.version)
      note(root.channel.capture(), edition: edition, of: root.channel)
    }
  }

  @usableFromInline
  func value<Value>(of channel: AnyChannel) -> Value {
    guard let value = known[ObjectIdentifier(channel)]?.value as? Value else {
      trap("\(channel) was asked for before it was known.")
    }
    return value
  }

  /// Computes a derived constant, after what it derives from.
  func find(_ channel: AnyChannel) {
    channel.visitSourcesFirst(unless: { known[ObjectIdentifier($0)] != nil }) {
      $0.derivation?.evaluate($0, self)
    }
  }

  @usableFromInline
  func note(_ value: any Sendable, edition: CombinedVersion, of channel: AnyChannel) {
    known[ObjectIdentifier(channel)] = (value, edition)
  }

  private func edition(of channel: AnyChannel) -> CombinedVersion {
    known[ObjectIdentifier(channel)]?.edition ?? .zero
  }

  func revision(of channel: AnyChannel) -> Revision {
    let edition = edition(of: channel)
    return Revision(state: channel.derivation.map(state(of:)) ?? edition, edition: edition)
  }

  /// The revision of a derived constant, as long as it doesn't keep an earlier edition.
  @usableFromInline
  func revision(of derivation: Derivation) -> Revision {
    let edition = derivation.sources.reduce(.zero) { $0 + $1.weight * self.edition(of: $1.channel) }
    return Revision(state: state(of: derivation), edition: edition)
  }

  func state(of derivation: Derivation) -> CombinedVersion {
    derivation.roots.reduce(.zero) { $0 + $1.weight * edition(of: $1.channel) }
  }
}

/// The values of derived constants at one state of the variables that they derive from.
///
/// The values of the variables are captured while all of them are locked, so that they belong
/// together; the rest is computed from them with no lock held. This is a loop, sources first,
/// because recursion along a long chain would overflow the stack.
@usableFromInline
final class Evaluation {
  /// What is known so far: first the variables, whose editions are their versions.
  private var known: [ObjectIdentifier: Known] = [:]

  /// What became known last. In a chain, that is what the next one asks for.
  private var latest: Known?

  /// The versions of the variables.
  private let versions: [(root: AnyChannel, version: CombinedVersion)]

  /// Captures the variables, which must be locked.
  init(of derivation: Derivation) {
    versions = derivation.roots.map { ($0.channel, CombinedVersion($0.channel.version)) }
    for (root, version) in versions { note(root.capture(), edition: version, of: root) }
  }

  private func known(of channel: AnyChannel) -> Known? {
    let id = ObjectIdentifier(channel)
    if let latest, latest.channel == id { return latest }
    return known[id]
  }

  @usableFromInline
  func value<Value>(of channel: AnyChannel) -> Value {
    guard let value = known(of: channel)?.value as? Value else {
      trap("\(channel) was asked for before it was known.")
    }
    return value
  }

  /// Computes a derived constant, after what it derives from.
  @usableFromInline
  func find(_ channel: AnyChannel) {
    channel.visitSourcesFirst(unless: { known(of: $0) != nil }) {
      $0.derivation?.evaluate($0, self)
    }
  }

  @usableFromInline
  func note(_ value: any Sendable, edition: CombinedVersion, of channel: AnyChannel) {
    let new = Known(value, edition: edition, of: channel)
    (known[new.channel], latest) = (new, new)
  }

  private func edition(of channel: AnyChannel) -> CombinedVersion {
    known(of: channel)?.edition ?? .zero
  }

  @usableFromInline
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

  @usableFromInline
  func state(of derivation: Derivation) -> CombinedVersion {
    derivation.roots.reduce(.zero) { sum, root in
      sum + root.weight * (versions.first { $0.root === root.channel }?.version ?? .zero)
    }
  }

  /// The value of one channel: an object, because copies of that cost less.
  private final class Known {
    let channel: ObjectIdentifier
    let value: any Sendable
    let edition: CombinedVersion

    init(_ value: any Sendable, edition: CombinedVersion, of channel: AnyChannel) {
      self.channel = ObjectIdentifier(channel)
      self.value = value
      self.edition = edition
    }
  }
}

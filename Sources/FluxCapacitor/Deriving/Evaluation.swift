/// What derived constants come to at one state of the variables that they derive from.
///
/// The values of the variables are captured while all of them are locked, so that they belong
/// together; the rest is computed from them with no lock held. It is done in a loop, sources first,
/// so that a long chain takes no stack.
@usableFromInline
final class Evaluation {
  /// What is known by now: the variables first, whose editions are their versions. What was found last
  /// is asked for next, in most cases.
  private var known: [(channel: AnyChannel, value: any Sendable, edition: CombinedVersion)] = []

  /// Captures the variables, which are locked.
  init(of derivation: Derivation) {
    known.reserveCapacity(derivation.roots.count + 4)
    for root in derivation.roots {
      known.append((root.channel, root.channel.capture(), CombinedVersion(root.channel.version)))
    }
  }

  @usableFromInline
  func value<Value>(of channel: AnyChannel) -> Value {
    guard let index = index(of: channel), let value = known[index].value as? Value else {
      trap("\(channel) was asked for before it was known.")
    }
    return value
  }

  /// Makes a derived constant known, and what it needs for that.
  func find(_ channel: AnyChannel) {
    channel.visitSourcesFirst {
      index(of: $0) != nil
    } visit: {
      $0.derivation?.owner?.evaluate(in: self)
    }
  }

  func note(_ value: any Sendable, edition: CombinedVersion, of channel: AnyChannel) {
    known.append((channel, value, edition))
  }

  func revision(of channel: AnyChannel) -> Revision {
    let edition = index(of: channel).map { known[$0].edition } ?? .zero
    return Revision(state: channel.derivation.map(state(of:)) ?? edition, edition: edition)
  }

  /// What a derived constant's state is, and its edition unless it keeps an earlier one.
  func revision(of derivation: Derivation) -> Revision {
    Revision(
      state: state(of: derivation),
      edition: derivation.sources.reduce(.zero) {
        $0 + $1.weight * revision(of: $1.channel).edition
      }
    )
  }

  private func state(of derivation: Derivation) -> CombinedVersion {
    derivation.roots.reduce(.zero) { sum, root in
      sum + root.weight * (known.first { $0.channel === root.channel }?.edition ?? .zero)
    }
  }

  private func index(of channel: AnyChannel) -> Int? {
    known.lastIndex { $0.channel === channel }
  }
}

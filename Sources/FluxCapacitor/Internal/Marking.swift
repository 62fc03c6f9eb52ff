/// One walk down from a variable to all that derives from it.
struct Marking {
  /// What tells the change from all others: the number of a transaction, or of one write.
  let change: UInt64

  /// What tells this walk from the others of the same change.
  let pass: UInt64

  /// The dispatcher in whose turn it happens.
  let turn: ObjectIdentifier?
}

/// How a marking goes on from a derived constant to those downstream of it.
enum Onward {
  /// Not at all: it has come here before.
  case no

  /// As a change that none of them knows of.
  case asNew

  /// As one that those know of who were there before a version.
  case asKnown(before: UInt64)

  var goesOn: Bool {
    if case .no = self { false } else { true }
  }

  func isKnown(to input: AnyInput) -> Bool {
    if case .asKnown(let version) = self { input.since < version } else { false }
  }
}

extension AnyChannel {
  /// Tells all that derives from this channel that a change is on its way; the lock is held.
  ///
  /// It goes down the graph with the locks of its path in hand, so that two changes come to every
  /// place in the same order; it keeps its way in the graph itself, and the stack stays flat.
  ///
  /// - Parameters:
  ///   - change: The number of a transaction, or of one write.
  ///   - version: That of what the transaction has written here before, if this takes its place.
  @usableFromInline
  final func mark(_ change: UInt64, replacing version: UInt64? = nil, on thread: CurrentThread) {
    thread.pointee.markings &+= 1
    let marking = Marking(
      change: change,
      pass: thread.pointee.markings,
      turn: thread.pointee.turn
    )
    var channel = self
    var onward = version.map(Onward.asKnown(before:)) ?? .asNew
    var next = firstInput
    while true {
      if let node = next {
        let further = node._withUnsafeGuaranteedRef { dust in
          let input = unsafeDowncast(dust, to: AnyInput.self)
          return input.note(marking, isKnown: onward.isKnown(to: input))
        }
        if !further.goesOn {
          next = channel.input(after: node)
        } else {
          let input = unsafeDowncast(node.takeUnretainedValue(), to: AnyInput.self)
          input.derivation.trail = Derivation.Trail(channel: channel, onward: onward, node: node)
          channel = input.target
          onward = further
          next = channel.firstInput
        }
      } else {
        guard channel !== self, let derivation = channel.derivation, let trail = derivation.trail
        else { return }
        derivation.trail = nil
        channel.lock.unlock()
        channel = trail.channel
        onward = trail.onward
        next = channel.input(after: trail.node)
      }
    }
  }

  /// Inputs come before all other observations.
  @inlinable
  final var firstInput: Unmanaged<Dust>? {
    guard let first, first._withUnsafeGuaranteedRef({ $0.isInput }) else { return nil }
    return first
  }

  private func input(after node: Unmanaged<Dust>) -> Unmanaged<Dust>? {
    guard let next = node._withUnsafeGuaranteedRef({ $0.next }),
      next.toOpaque() != first?.toOpaque(), next._withUnsafeGuaranteedRef({ $0.isInput })
    else { return nil }
    return next
  }
}

extension AnyInput {
  /// Notes that the source will bring a change.
  ///
  /// - Returns: How others are to be told of it downstream; if they are, the target stays locked.
  fileprivate final func note(_ marking: Marking, isKnown: Bool) -> Onward {
    target.lock.lock()
    if isLinked {
      let onward = derivation.await(marking, from: self, isKnown: isKnown, in: target)
      if target.firstInput != nil, onward.goesOn { return onward }
    }
    target.lock.unlock()
    return .no
  }
}

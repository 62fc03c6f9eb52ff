/// Something that a derived constant is derived from, whatever its values.
@usableFromInline
class AnySource: @unchecked Sendable {
  /// Safe to use unowned, since the handle has it.
  @usableFromInline unowned(unsafe) final let channel: AnyChannel

  /// How much its state and its edition count in those of what derives from it: 1 if there is no
  /// other source, and a random number otherwise.
  @usableFromInline final let weight: CombinedVersion

  /// Whether a change may be none for the source.
  @usableFromInline final let mayKeepValues: Bool

  /// The constant, which keeps the channel.
  private var handle: AnyObject?

  /// Makes an input of the right type, and takes what has arrived there for an entry.
  private let makeInput: @Sendable (AnySource, AnyChannel, Derivation) -> AnyInput

  /// What observes the source at present; guarded by the lock of the derived channel, and left alone
  /// while that has a deliverer.
  @exclusivity(unchecked) @usableFromInline final var input: AnyInput?

  @usableFromInline
  init(
    _ channel: AnyChannel,
    keptBy handle: AnyObject,
    isOnly: Bool,
    makeInput: @escaping @Sendable (AnySource, AnyChannel, Derivation) -> AnyInput
  ) {
    self.channel = channel
    self.handle = handle
    self.makeInput = makeInput
    mayKeepValues = channel.derivation?.mayKeepValues ?? false
    weight = isOnly ? .one : .random()
  }

  deinit {
    // A long chain lets go of itself link by link; nested, that would take as much stack.
    if let handle = handle.take() { CurrentThread.current.release(handle) }
  }

  var roots: [Derivation.Root] {
    channel.derivation?.roots ?? [Derivation.Root(channel: channel, weight: .one)]
  }

  func input(to target: AnyChannel, _ derivation: Derivation) -> AnyInput {
    makeInput(self, target, derivation)
  }
}

/// Something that a derived constant is derived from.
@usableFromInline
final class Source<Value: Sendable>: AnySource, @unchecked Sendable {
  @inlinable
  init<Trait>(_ value: PrimitiveValue<Trait, Value>, isOnly: Bool) {
    super.init(value.channel, keptBy: value, isOnly: isOnly) { source, target, derivation in
      Input<Value>(of: source, to: target, derivation)
    }
  }

  /// The value that a formula is to use.
  @inlinable
  func value(for reading: Reading) -> Value {
    switch reading {
    case .delivered:
      guard let input, let value = unsafeDowncast(input, to: Input<Value>.self).use() else {
        trap("A derived constant was told before its sources were known.")
      }
      return value
    case .relayed(let pointer):
      // What a source relays is of its type.
      return pointer.assumingMemoryBound(to: Value.self).pointee
    case .evaluation(let evaluation):
      return evaluation.value(of: channel)
    case .variable(let version):
      // The reading is chosen for sources that are variables.
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }
}

/// Where a formula takes the values of its sources from.
@usableFromInline
enum Reading {
  /// From what has come in: for the deliverer.
  case delivered

  /// From an address, at which the only source's value is.
  case relayed(UnsafeRawPointer)

  /// From an evaluation that knows them.
  case evaluation(Evaluation)

  /// From the variable that is the only source; its version is written to the address.
  case variable(UnsafeMutablePointer<UInt64>)
}

/// Something that a derived constant derives from, whatever the type of its values.
@usableFromInline
class AnySource: @unchecked Sendable {
  /// Unowned is safe, because the handle owns it.
  @usableFromInline unowned(unsafe) final let channel: AnyChannel

  /// The factor of its state and edition in those of what derives from it: 1 for the only source of
  /// a `map` or `removeDuplicates`, and random for those of a `combine`.
  @usableFromInline final let weight: CombinedVersion

  /// Whether a change of the variables may leave the source's value as it was.
  @usableFromInline final let mayKeepValues: Bool

  /// The variable or constant, which keeps the channel alive.
  private var handle: AnyObject?

  /// Creates an input of the right type.
  let makeInput: @Sendable (AnySource, AnyChannel, Derivation) -> AnyInput

  /// The input that observes the source at present. Guarded by the lock of the derived channel;
  /// while that has a deliverer, which reads this without the lock, it doesn't change.
  ///
  /// Unretained, which saves two atomic operations at each use: the source's channel, whose ring it
  /// is in, owns it for longer.
  @exclusivity(unchecked) @usableFromInline final var input: Unmanaged<AnyInput>?

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
    // Released in a loop: nested along a long chain, releases would overflow the stack.
    if let handle = handle.take() { CurrentThread.current.release(handle) }
  }

  var roots: [Derivation.Root] {
    channel.derivation?.roots ?? [Derivation.Root(channel: channel, weight: .one)]
  }
}

/// Something that a derived constant derives from.
@usableFromInline
final class Source<Value: Sendable>: AnySource, @unchecked Sendable {
  @inlinable
  init<Trait>(_ value: PrimitiveValue<Trait, Value>, isOnly: Bool) {
    super.init(value.channel, keptBy: value, isOnly: isOnly) { source, target, derivation in
      Input<Value>(of: source, to: target, derivation)
    }
  }

  /// The value for a formula to use.
  @inlinable
  func value(for reading: Reading) -> Value {
    switch reading {
    case .delivered:
      guard
        let value = input?._withUnsafeGuaranteedRef({
          unsafeDowncast($0, to: Input<Value>.self).use()
        }) ?? nil
      else {
        trap("A derived constant was to compute a change before its sources had delivered it.")
      }
      return value
    case .relayed(let pointer):
      // The address is that of a value of this source, and so of its type.
      return pointer.assumingMemoryBound(to: Value.self).pointee
    case .evaluation(let evaluation):
      return evaluation.value(of: channel)
    case .variable(let version):
      // This reading is only used if the source is a variable: see `computeDirectly`.
      let variable = unsafeDowncast(channel, to: ValueChannel<Value>.self)
      variable.acquire()
      defer { variable.lock.unlock() }
      version.pointee = variable.version
      return variable.stored
    }
  }
}

/// Where a formula gets the values of its sources.
@usableFromInline
enum Reading {
  /// From what the inputs have used last. Only for the deliverer.
  case delivered

  /// From the address of the only source's value.
  case relayed(UnsafeRawPointer)

  /// From an evaluation that has them.
  case evaluation(Evaluation)

  /// From the variable that is the only source, and whose version is written to the address.
  case variable(UnsafeMutablePointer<UInt64>)
}

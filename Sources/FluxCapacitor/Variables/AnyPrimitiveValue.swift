/// A variable or a constant of any element type, for tests and tools that inspect stores.
package protocol AnyPrimitiveValue: AnyObject, Sendable {
  /// The identity of a variable, which the variable's constants share.
  var identity: ObjectIdentifier { get }

  /// Whether the value is computed from other values.
  var isDerived: Bool { get }

  /// The identities of the variables from which a derived constant is computed.
  var sources: [ObjectIdentifier] { get }

  /// Whether the value can only be read.
  var isConstant: Bool { get }

  var anyValue: any Sendable { get }

  /// The value and its version, which every write changes.
  ///
  /// - Precondition: The value isn't a derived constant.
  var snapshot: (version: Version, value: any Sendable) { get }

  /// Whether changes wait for a thread that is calling the observers.
  var hasBacklog: Bool { get }

  /// The number of observers, and of observed constants that derive directly from the value.
  ///
  /// - Complexity: O(n) in the number of observers.
  var observerCount: Int { get }

  /// Writes a value of any type to the variable. The variable and its former value are released after this thread's
  /// open transaction.
  ///
  /// - Precondition: The written value has the element's type, and the variable isn't a derived
  ///   constant.
  func write(any value: any Sendable)

  /// Calls a closure with every later change, on the queue `.current`.
  func observeAny(_ changes: @escaping @Sendable (any Sendable) -> Void) -> Dust
}

extension PrimitiveValue: AnyPrimitiveValue {
  package var identity: ObjectIdentifier { ObjectIdentifier(channel) }

  package var isDerived: Bool { channel.isDerived }

  package var sources: [ObjectIdentifier] {
    channel.derivedNode?.roots.map { ObjectIdentifier($0.channel) } ?? []
  }

  package var isConstant: Bool { Trait.self == ImmutableTrait.self }

  package var anyValue: any Sendable { value }

  package var snapshot: (version: Version, value: any Sendable) {
    channel.acquire()
    defer { channel.lock.unlock() }
    return (channel.version, channel.value)
  }

  package var hasBacklog: Bool {
    channel.regionChannel.lock.withLock { channel.extras?.use { $0.hasBacklog } ?? false }
  }

  package var observerCount: Int { channel.observerCount }

  package func write(any value: any Sendable) {
    guard let value = value as? Element else {
      trap("\(channel) can't hold a value of type \(type(of: value)).")
    }
    releaseAfterUnlocking((self, channel.write(value)))
  }

  package func observeAny(_ changes: @escaping @Sendable (any Sendable) -> Void) -> Dust {
    observe(ignoreFirst: true) { changes($0) }
  }
}

extension AnyChannel {
  /// The number of observers, and of observed constants that derive directly from the channel.
  ///
  /// - Complexity: O(n) in the number of observers.
  final var observerCount: Int {
    regionChannel.lock.withLock {
      var count = Int(unretainedNode?.use { $0.dependentCount } ?? 0)
      AnyChannel.walk(stretch) { if !$0.isCleaned { count += 1 } }
      return count
    }
  }
}

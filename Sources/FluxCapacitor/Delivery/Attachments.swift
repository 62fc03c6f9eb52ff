/// What few channels have. It is created when it is first needed, which keeps a variable small.
///
/// All of it is guarded by the channel's lock.
@usableFromInline class AnyAttachments {
  /// The version up to which other threads have left changes to the deliverer, and it has no place yet.
  @exclusivity(unchecked) @usableFromInline final var left: Version?

  /// Whether changes wait to be delivered.
  @exclusivity(unchecked) @usableFromInline final var hasBacklog = false

  /// What derives from the channel.
  @exclusivity(unchecked) @usableFromInline final var downstream: Downstream?

  /// The sources of constants with several variables, to which a commit of this variable is announced.
  @exclusivity(unchecked) @usableFromInline final var listeners = ListenerList()

  /// Notifies Observation of changes, if the value was read inside `withObservationTracking`.
  @exclusivity(unchecked) final var tracking: Tracking?

  /// A tracker, and its observation of the channel.
  typealias Tracking = (tracker: Tracker, dust: Dust)

  @inlinable init() {}
}

/// The changes of a channel that wait to be delivered, and whatever else few channels have.
@usableFromInline final class Attachments<Element: Sendable>: AnyAttachments {
  /// In the order of their versions.
  @exclusivity(unchecked) @usableFromInline var backlog = FIFO<Change>()

  @usableFromInline typealias Change = (value: Element, version: Version)

  @inlinable override init() { super.init() }
}

/// A channel's node in the graph of derived constants, as far as delivery has to know it. Its type is in a
/// layer above.
@usableFromInline class Downstream: @unchecked Sendable {
  // All guarded by the lock of the channel's region.

  /// Whether an observed constant derives from the channel, or `isCombined`.
  @exclusivity(unchecked) @usableFromInline final var isInUse = false

  /// How many constants of the region derive from the channel directly.
  @exclusivity(unchecked) @usableFromInline final var nodeCount = 0

  /// What is delivered with the channel, if the channel is the first one of a region.
  @exclusivity(unchecked) @usableFromInline final var ownRegion: DerivedRegion?

  init() {}

  /// Calls a closure with each constant that derives from the channel directly. The lock must be held.
  func forEachDependent(_ body: (AnyChannel) -> Void) {}
}

/// The constants that derive from one channel alone, which the thread that delivers the channel also
/// computes and delivers. Its type is in a layer above.
@usableFromInline class DerivedRegion: @unchecked Sendable {
  init() {}

  /// Lists the constants that a change has to reach. The channel's lock must be held.
  @usableFromInline func prepare(for version: Version) {}

  /// Computes the listed constants, and passes their values on to other regions. Only for the deliverer.
  @usableFromInline func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {}

  /// Calls the observers of the listed constants. Only for the deliverer.
  @usableFromInline func callObservers(on thread: CurrentThread) {}

  /// Calls a closure with each active channel but the first. The channel's lock must be held.
  func forEachChannel(_ body: (AnyChannel) -> Void) {}

  /// Takes out what was detached while a change was delivered. The channel's lock must be held.
  func takeDetached() -> [AnyObject] { [] }
}

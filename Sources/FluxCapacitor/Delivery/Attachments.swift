/// The properties that few channels need. Attachments are created when they are first needed,
/// which keeps a variable small.
///
/// The lock of the channel's region guards all of them.
@usableFromInline class AnyAttachments {
  /// The version up to which other threads have left changes to the deliverer, if the
  /// changes have no place yet.
  @exclusivity(unchecked) @usableFromInline final var left: Version?

  /// Whether changes wait to be delivered.
  @exclusivity(unchecked) @usableFromInline final var hasBacklog = false

  /// The channel's node in the graph of derived constants.
  @exclusivity(unchecked) @usableFromInline final var downstream: Downstream?

  /// The sources to which a commit of this variable is announced. Their constants
  /// derive from several variables.
  @exclusivity(unchecked) @usableFromInline final var listeners = ListenerList()

  /// The tracker that notifies Observation of changes, if the value was read inside
  /// `withObservationTracking`.
  @exclusivity(unchecked) final var tracking: Tracking?

  /// A tracker and its observation of the channel.
  typealias Tracking = (tracker: Tracker, dust: Dust)

  @inlinable init() {}
}

/// The changes of a channel that wait to be delivered, and the other properties that few channels need.
@usableFromInline final class Attachments<Element: Sendable>: AnyAttachments {
  /// The changes that wait, in the order of their versions.
  @exclusivity(unchecked) @usableFromInline var backlog = FIFO<Change>()

  @usableFromInline typealias Change = (value: Element, version: Version)

  @inlinable override init() { super.init() }
}

/// A channel's node in the graph of derived constants, as far as delivery has to know it. Its
/// subclass is in a later folder.
@usableFromInline class Downstream: @unchecked Sendable {
  // The lock of the channel's region guards all of these.

  /// Whether an observed constant derives from the channel, or the node's `isCombined` is true.
  @exclusivity(unchecked) @usableFromInline final var isInUse = false

  /// The number of active constants in the region that derive from the channel directly.
  @exclusivity(unchecked) @usableFromInline final var nodeCount = 0

  /// The constants that are delivered with the channel, if the channel is the first one of a region.
  @exclusivity(unchecked) @usableFromInline final var ownRegion: DerivedRegion?

  init() {}

  /// Calls a closure with each constant that derives from the channel directly. The lock must be held.
  func forEachDependent(_ body: (AnyChannel) -> Void) {}
}

/// The constants that derive from one channel alone. Its subclass is in a later folder.
///
/// The thread that delivers the channel also computes these constants and calls their observers.
@usableFromInline class DerivedRegion: @unchecked Sendable {
  init() {}

  /// Lists the constants that a change has to reach. The channel's lock must be held.
  @usableFromInline func prepare(for version: Version) {}

  /// Computes the listed constants, and passes their values on to other regions.
  /// Only the deliverer calls this.
  @usableFromInline func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {}

  /// Calls the observers of the listed constants. Only the deliverer calls this.
  @usableFromInline func callObservers(on thread: CurrentThread) {}

  /// Calls a closure with each active channel except the first one. The channel's lock must be held.
  func forEachChannel(_ body: (AnyChannel) -> Void) {}

  /// Removes and returns the objects that were detached during a delivery. The channel's lock must be held.
  func takeDetached() -> [AnyObject] { [] }
}

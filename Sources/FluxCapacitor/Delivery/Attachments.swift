/// What few channels have. It is created when it is first needed, which keeps a variable small.
///
/// All of it is guarded by the channel's lock.
@usableFromInline class AnyAttachments {
  /// The version up to which other threads have left changes to the deliverer.
  @exclusivity(unchecked) @usableFromInline final var left: Version?

  /// Whether the deliverer has a place in its round for what others have left, or will leave by then.
  @exclusivity(unchecked) @usableFromInline final var isLeftPlaced = false

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

  @inlinable override init() {
    super.init()
  }
}

/// What derives from a channel, as far as delivery has to know: a node of the graph of derived
/// constants, whose type is in a layer above.
///
/// The thread that delivers the channel also computes and delivers the constants that derive from
/// this channel alone: its *region*.
@usableFromInline class Downstream: @unchecked Sendable {
  /// Whether an observed constant derives from the channel. Guarded by the channel's lock.
  @exclusivity(unchecked) @usableFromInline final var isInUse = false

  /// How many constants of the region derive from the channel directly. Guarded by the channel's lock.
  @exclusivity(unchecked) @usableFromInline final var nodeCount = 0

  init() {}

  /// Lists what a change has to reach. The channel's lock must be held.
  @usableFromInline func prepareRegion(for version: Version) {}

  /// Computes what was listed, and passes it on to other regions. Only for the deliverer.
  @usableFromInline func compute(from value: UnsafeRawPointer, on thread: CurrentThread) {}

  /// Calls the observers of what was computed. Only for the deliverer.
  @usableFromInline func callRegionObservers(on thread: CurrentThread) {}

  /// Calls a closure with each observed channel of the region but the first. The channel's lock must be held.
  func forEachChannelOfRegion(_ body: (AnyChannel) -> Void) {}

  /// Calls a closure with each constant that derives from the channel directly. The channel's lock must be held.
  func forEachDependent(_ body: (AnyChannel) -> Void) {}

  /// Takes out what has left the region while a change was delivered. The channel's lock must be held.
  func takeLeavers() -> [AnyObject] { [] }
}

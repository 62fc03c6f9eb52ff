/// The number of writes, events or announced changes that a channel has had.
@usableFromInline package struct Version: Comparable, Sendable {
  @usableFromInline let count: UInt64

  @inlinable init(_ count: UInt64) { self.count = count }

  /// The version before any write. Nothing is delivered through it.
  @inlinable static var beginning: Version { Version(0) }

  /// A version that no channel reaches.
  @inlinable static var never: Version { Version(.max) }

  @inlinable var next: Version { Version(count &+ 1) }
  var previous: Version { Version(count &- 1) }

  @inlinable
  package static func < (left: Version, right: Version) -> Bool { left.count < right.count }
}

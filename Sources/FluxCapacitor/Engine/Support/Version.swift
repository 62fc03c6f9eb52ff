/// The number of writes, events or announced changes that a channel has had.
@usableFromInline package struct Version: Comparable, Sendable {
  @usableFromInline let count: UInt64

  @inlinable init(_ count: UInt64 = 0) { self.count = count }

  /// A version that no channel reaches.
  @inlinable static var never: Version { Version(.max) }

  @inlinable var next: Version { Version(count &+ 1) }
  var previous: Version { Version(count &- 1) }

  @inlinable
  package static func < (left: Version, right: Version) -> Bool { left.count < right.count }
}

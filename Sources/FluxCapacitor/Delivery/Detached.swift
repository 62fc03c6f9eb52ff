/// Observations that were taken out of a ring, to be released once its lock is open again.
///
/// They are chained through themselves, so that nothing is allocated and releasing is a loop.
@usableFromInline
struct Detached {
  @usableFromInline var head: Unmanaged<Dust>?

  @inlinable
  init() {}

  @inlinable
  mutating func push(_ node: Unmanaged<Dust>) {
    node._withUnsafeGuaranteedRef { $0.previous = head }
    head = node
  }

  /// Drops the ring's references, and what the observations hold.
  @inlinable
  func release() {
    if head != nil { releaseAll() }
  }

  @usableFromInline
  func releaseAll() {
    var next = head
    while let node = next {
      node._withUnsafeGuaranteedRef { dust in
        next = dust.previous
        dust.previous = nil
        dust.letGo(dust)
      }
      node.release()
    }
  }
}

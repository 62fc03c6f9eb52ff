/// The thread that is delivering a channel, and what others have left for it to do.
@usableFromInline
struct Deliverer {
  @usableFromInline var bits: UInt32 = 0

  @inlinable
  init(_ thread: CurrentThread? = nil) {
    if let thread { bits = thread.id &<< 2 }
  }

  /// The number of the thread, or zero.
  @inlinable
  var thread: UInt32 { isOffered ? 0 : bits &>> 2 }

  /// Whether it has to remove observations that were cleaned in the meantime.
  @inlinable
  var hasCleaned: Bool {
    get { bits & 1 != 0 }
    set { bits = bits & ~1 | (newValue ? 1 : 0) }
  }

  /// Whether a thread that was delivering offers another to go on. No thread is delivering then.
  @inlinable
  var isOffered: Bool { bits & 2 != 0 }

  /// Whether this thread made the offer. A thread that takes it may make an offer too.
  func isOffered(by thread: CurrentThread) -> Bool { bits == thread.id &<< 2 | 2 }

  mutating func offer(by thread: CurrentThread) { bits = thread.id &<< 2 | 2 }
}

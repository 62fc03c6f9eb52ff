#if DEBUG
  import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// V3: a deinit is user code, so the library releases its users' objects when the thread holds none of its locks.
  struct ReleaseInterleavings {
    @Test func eventOfATransactionIsReleasedWithoutALock() {
      explore { scenario in
        let (sink, held) = (Sink<Released>(), Log<Bool>())
        _ = sink.signal.observe { _ in }
        scenario.transaction {
          sink.send(Released(in: held) { [weak sink] in sink?.send(Released(in: held)) })
        }
        scenario.keep(sink)
        scenario.check { #expect(held.entries == [false, false]) }
      }
    }
  }

  /// A value that notes in its deinit whether the thread holds a lock.
  private final class Released: Sendable {
    private let held: Log<Bool>
    private let body: @Sendable () -> Void

    init(in held: Log<Bool>, _ body: @escaping @Sendable () -> Void = {}) {
      (self.held, self.body) = (held, body)
    }

    deinit {
      let isHeld = heldLocks != (0, 0)
      held.append(isHeld)
      if !isHeld { body() }
    }
  }
#endif

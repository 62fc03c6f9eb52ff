#if DEBUG
  import FluxCapacitor

  /// An object that notes in its deinit whether the thread holds a lock of the library. A deinit is user code, so the
  /// thread must hold none.
  package final class Released: Sendable {
    private let held: Log<Bool>
    private let body: @Sendable () -> Void

    /// - Parameter body: A closure to call in the deinit, unless the thread holds a lock.
    package init(in held: Log<Bool>, _ body: @escaping @Sendable () -> Void = {}) {
      (self.held, self.body) = (held, body)
    }

    deinit {
      let isHeld = heldLocks != (0, 0)
      held.append(isHeld)
      if !isHeld { body() }
    }
  }
#endif

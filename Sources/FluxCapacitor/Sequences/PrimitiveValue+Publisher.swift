#if canImport(Combine)
  import Combine

  extension PrimitiveValue {
    /// A Combine publisher that sends the current value, and then every change.
    ///
    /// Each subscriber has its own observation on `.current`, which ends when its subscription is cancelled. A subscriber
    /// that requests too few values misses older values, but receives the last one.
    ///
    /// In a `@MainActor` class, a closure that is called on another thread traps. So call `receive(on: DispatchQueue.main)`
    /// before `sink` or `assign` there.
    ///
    /// The publisher is available only on Apple platforms. On other platforms, the project compiles and tests it with a
    /// substitute for Combine.
    public var publisher: AnyPublisher<Element, Never> {
      Deferred {
        // `CurrentValueSubject` has its own lock, so the `Sendable` closure below can safely capture
        // `subject`.
        nonisolated(unsafe) let subject = CurrentValueSubject<Element?, Never>(nil)
        let dust = self.observe { subject.send($0) }
        return
          subject
          .compactMap { $0 }
          .handleEvents(receiveCancel: { dust.clean() })
      }
      .eraseToAnyPublisher()
    }
  }
#endif

#if canImport(Combine)
  import Combine

  extension PrimitiveValue {
    /// A publisher that sends the current value, and then every change.
    ///
    /// Each subscriber has a separate observation on `.current`. Cancelling a subscription ends the
    /// subscriber's observation. If a subscriber requests too few values, the subscriber misses older
    /// values, but receives the last value.
    ///
    /// A closure of a `@MainActor` class traps on another thread than the main thread, so call
    /// `receive(on: DispatchQueue.main)` before `sink` or `assign` in such a class.
    ///
    /// The publisher is available only on Apple platforms. On other platforms, the project compiles and
    /// tests this property with a substitute for Combine.
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

#if canImport(Combine)
  import Combine

  extension PrimitiveValue {
    /// A publisher of the current value, and then of every change.
    ///
    /// Each subscriber has an observation of its own, on `.current`. Cancelling the subscription ends the
    /// observation. A subscriber that requests fewer values than there are receives the last one.
    ///
    /// The publisher is available on Apple platforms only. On other platforms, the project compiles and
    /// tests it with a module that stands in for Combine.
    public var publisher: AnyPublisher<Element, Never> {
      Deferred {
        // A subject has a lock of its own, so the `Sendable` closure below can capture it safely.
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

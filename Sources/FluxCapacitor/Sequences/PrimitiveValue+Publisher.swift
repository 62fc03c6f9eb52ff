#if canImport(Combine)
  import Combine

  extension PrimitiveValue {
    /// A publisher of the current value, and then of every change.
    ///
    /// Each subscriber observes separately, on `.current`, and ends its observation by cancelling.
    /// A subscriber that asks for fewer values than there are receives the last one.
    ///
    /// This is available on Apple platforms only. Where the rest is tested, it is compiled and tested
    /// with a module that stands in for Combine.
    public var publisher: AnyPublisher<Element, Never> {
      Deferred {
        // Safe to capture in the `Sendable` closure below, because a subject has a lock of its own.
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

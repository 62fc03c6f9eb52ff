#if canImport(Combine)
  import Combine

  extension PrimitiveValue {
    /// A publisher of the current value, and then of every change.
    ///
    /// Each subscriber observes on its own, on `.current`, and ends that by cancelling. To one that asks
    /// for fewer values than there are, the last one is told.
    ///
    /// This is built on Apple's systems only, and has not been compiled where the rest is tested.
    public var publisher: AnyPublisher<Element, Never> {
      Deferred {
        // Sound in spite of the closure below, which is Sendable: a subject has a lock of its own.
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

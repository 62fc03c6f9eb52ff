extension Dispatcher {
  /// Whether the current thread is in a reduce of this dispatcher.
  package var isReducing: Bool {
    registry.turn.isHeldByCurrentThread && currentThread().pointee.reducing != nil
  }
}

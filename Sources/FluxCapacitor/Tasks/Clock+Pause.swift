extension Clock<Duration> {
  /// Returns a closure that waits for the end of a pause, or `nil` if the pause is zero.
  ///
  /// The pause begins when the caller calls this method, not when the closure runs.
  func end(of pause: Duration) -> (@Sendable () async -> Void)? {
    guard pause > .zero else { return nil }
    let deadline = now.advanced(by: pause.clamped)
    return { try? await sleep(until: deadline, tolerance: nil) }
  }
}

extension Duration {
  /// The duration, or zero instead of a negative one, or 4 billion years instead of a longer one. Clocks can't add extreme
  /// durations to the present.
  package var clamped: Duration { max(.zero, min(self, .seconds(Int64.max >> 6))) }
}

extension Clock<Duration> {
  /// Returns a closure that waits for the end of a pause, or `nil` if the pause is zero.
  ///
  /// The pause begins when the caller calls this method, not when the closure runs.
  func end(of pause: Duration) -> (@Sendable () async -> Void)? {
    guard pause > .zero else { return nil }
    let deadline = now.advanced(by: pause)
    return { try? await sleep(until: deadline, tolerance: nil) }
  }
}

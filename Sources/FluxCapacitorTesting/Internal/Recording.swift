import FluxCapacitor

/// A list of recorded entries, and the callers that wait for more entries.
final class Recording<Entry: Sendable>: @unchecked Sendable {
  // `lock` guards all properties below.
  private let lock = Lock()
  private var entries: [Entry] = []

  /// The calls of `next`.
  private var claims = Claims<Entry>()

  var all: [Entry] { lock.withLock { entries } }

  func note(_ entry: Entry) {
    let due = lock.withLock {
      entries.append(entry)
      return claims.add(entry)
    }
    for claim in due { claim.notify() }
  }

  /// Returns the next entries that no earlier call has returned. If fewer than `count` entries arrive in
  /// time, the test fails.
  ///
  /// - Parameter sentence: A closure that receives the arrived entries, and completes a sentence such as
  ///   "Waited 30 seconds for".
  func next(
    _ count: Int,
    within limit: Duration,
    orFailAt place: Place,
    isolation: isolated (any Actor)? = #isolation,
    _ sentence: ([Entry]) -> String
  ) async -> [Entry] {
    var claim: Claims<Entry>.Claim?
    _ = await wait(atMost: limit) { notify in
      let new = Claims<Entry>.Claim(count, notify)
      claim = new
      for due in lock.withLock({ claims.add(new) }) { due.notify() }
    }
    let arrived = claim.map { claim in lock.withLock { claims.end(claim) } } ?? []
    if arrived.count < count { place.fail("\(waited(limit)) for \(sentence(arrived))") }
    return arrived
  }
}

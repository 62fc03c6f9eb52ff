import FluxCapacitor

/// A list of recorded entries, and the callers that wait for more entries.
final class Recording<Entry: Sendable>: @unchecked Sendable {
  /// A call of `next` that waits for entries.
  private final class Claim {
    let count: Int
    let notify: @Sendable () -> Void
    var entries: ArraySlice<Entry> = []

    init(_ count: Int, _ notify: @escaping @Sendable () -> Void) {
      self.count = count
      self.notify = notify
    }
  }

  // `lock` guards all properties below, and the claims.
  private let lock = Lock()
  private var entries: [Entry] = []

  /// The number of entries that belong to calls of `next`.
  private var taken = 0
  private var claims: [Claim] = []

  var all: [Entry] { lock.withLock { entries } }

  func note(_ entry: Entry) {
    let due = lock.withLock {
      entries.append(entry)
      return takeDueClaims()
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
    var claim: Claim?
    _ = await wait(atMost: limit) { claim = self.claim(count, $0) }
    let arrived = claim.map(end) ?? []
    if arrived.count < count { place.fail("\(waited(limit)) for \(sentence(arrived))") }
    return arrived
  }

  private func claim(_ count: Int, _ notify: @escaping @Sendable () -> Void) -> Claim {
    let claim = Claim(count, notify)
    let due = lock.withLock {
      claims.append(claim)
      return takeDueClaims()
    }
    for claim in due { claim.notify() }
    return claim
  }

  /// Gives the first claims their entries, and returns the complete claims. The caller must hold the lock.
  private func takeDueClaims() -> [Claim] {
    var due: [Claim] = []
    while let claim = claims.first, entries.count - taken >= claim.count {
      take(claim.count, for: claims.removeFirst())
      due.append(claim)
    }
    return due
  }

  private func take(_ count: Int, for claim: Claim) {
    claim.entries = entries[taken..<taken + count]
    taken += count
  }

  /// Ends a claim, and returns its entries. An incomplete claim takes the entries that no earlier claim waits for.
  private func end(_ claim: Claim) -> [Entry] {
    lock.withLock {
      if let index = claims.firstIndex(where: { $0 === claim }) {
        claims.remove(at: index)
        if index == 0 { take(entries.count - taken, for: claim) }
      }
      return Array(claim.entries)
    }
  }
}

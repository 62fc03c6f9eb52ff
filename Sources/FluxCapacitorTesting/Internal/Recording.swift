import FluxCapacitor

/// A list of recorded entries, and the callers that wait for more entries.
final class Recording<Entry: Sendable>: @unchecked Sendable {
  // `lock` guards `entries`, `claimed` and `waiting`.
  private let lock = Lock()
  private var entries: [Entry] = []

  /// The number of entries that calls of `next` have returned or are waiting for.
  private var claimed = 0
  private var waiting: [(count: Int, notify: @Sendable () -> Void)] = []

  var all: [Entry] { lock.withLock { entries } }

  func note(_ entry: Entry) {
    var due: [(count: Int, notify: @Sendable () -> Void)] = []
    lock.withLock {
      entries.append(entry)
      guard !waiting.isEmpty else { return }
      due = waiting.filter { $0.count <= entries.count }
      waiting.removeAll { $0.count <= entries.count }
    }
    for waiting in due { waiting.notify() }
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
    let range = lock.withLock {
      defer { claimed += count }
      return claimed..<claimed + count
    }
    _ = await wait(atMost: limit) { notify(at: range.upperBound, $0) }
    let arrived = lock.withLock {
      let end = min(range.upperBound, entries.count)
      // Entries that have not arrived in time are left to the next call.
      if claimed == range.upperBound { claimed = max(range.lowerBound, end) }
      return Array(entries[min(range.lowerBound, end)..<end])
    }
    if arrived.count < count { place.fail("\(waited(limit)) for \(sentence(arrived))") }
    return arrived
  }

  private func notify(at count: Int, _ notify: @escaping @Sendable () -> Void) {
    let isDue = lock.withLock {
      if entries.count < count { waiting.append((count, notify)) }
      return entries.count >= count
    }
    if isDue { notify() }
  }
}

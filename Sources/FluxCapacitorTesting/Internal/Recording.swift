import FluxCapacitor

/// What was noted, in order, and who waits for more of it.
final class Recording<Entry: Sendable>: @unchecked Sendable {
  // All guarded by `lock`.
  private let lock = Lock()
  private var entries: [Entry] = []

  /// How many entries `next` has handed out, or is waiting for.
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

  /// The next entries that were not handed out before: as many as asked for or, when the time is up,
  /// those that there are.
  func next(
    _ count: Int,
    within limit: Duration,
    isolation: isolated (any Actor)? = #isolation
  ) async -> [Entry] {
    let range = lock.withLock {
      defer { claimed += count }
      return claimed..<claimed + count
    }
    _ = await wait(atMost: limit) { notify(at: range.upperBound, $0) }
    return lock.withLock {
      let end = min(range.upperBound, entries.count)
      // What has not come is handed out to the next one who asks.
      if claimed == range.upperBound { claimed = max(range.lowerBound, end) }
      return Array(entries[min(range.lowerBound, end)..<end])
    }
  }

  /// The next entries, as above; if they are fewer than asked for, the test fails.
  ///
  /// - Parameter sentence: Goes on behind "Waited 30 seconds for", and is handed those that came.
  func next(
    _ count: Int,
    within limit: Duration,
    orFailAt place: Place,
    isolation: isolated (any Actor)? = #isolation,
    _ sentence: ([Entry]) -> String
  ) async -> [Entry] {
    let entries = await next(count, within: limit)
    if entries.count < count { place.fail("\(waited(limit)) for \(sentence(entries))") }
    return entries
  }

  private func notify(at count: Int, _ notify: @escaping @Sendable () -> Void) {
    let isDue = lock.withLock {
      if entries.count < count { waiting.append((count, notify)) }
      return entries.count >= count
    }
    if isDue { notify() }
  }
}

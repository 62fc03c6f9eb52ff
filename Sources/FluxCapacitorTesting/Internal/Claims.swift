import FluxCapacitor

/// Calls that wait for entries, such as recorded values. An earlier call receives its entries before a later one.
///
/// The owner's lock guards this structure, and its claims.
struct Claims<Entry> {
  /// A call that waits for a number of entries.
  final class Claim {
    fileprivate let count: Int
    fileprivate var entries: ArraySlice<Entry> = []

    /// Ends the call's wait. The caller must not hold the lock.
    let notify: @Sendable () -> Void

    init(_ count: Int, _ notify: @escaping @Sendable () -> Void) {
      if count < 0 { trap("A test waits for \(count) events.", "Wait for at least none.") }
      self.count = count
      self.notify = notify
    }
  }

  /// The entries that no call has received.
  var entries: ArraySlice<Entry> = []

  private var waiting: [Claim] = []

  /// Adds an entry, and returns the claims that are complete now.
  mutating func add(_ entry: Entry) -> [Claim] {
    entries.append(entry)
    return takeDue()
  }

  /// Adds a claim, and returns the claims that are complete now.
  mutating func add(_ claim: Claim) -> [Claim] {
    waiting.append(claim)
    return takeDue()
  }

  private mutating func takeDue() -> [Claim] {
    var due: [Claim] = []
    while let claim = waiting.first, entries.count >= claim.count {
      take(claim.count, for: waiting.removeFirst())
      due.append(claim)
    }
    return due
  }

  private mutating func take(_ count: Int, for claim: Claim) {
    claim.entries = entries.prefix(count)
    entries = entries.dropFirst(count)
  }

  /// Ends a claim, and returns its entries. An incomplete claim takes the entries that no earlier claim waits for.
  mutating func end(_ claim: Claim) -> [Entry] {
    if let index = waiting.firstIndex(where: { $0 === claim }) {
      waiting.remove(at: index)
      if index == 0 { take(entries.count, for: claim) }
    }
    return Array(claim.entries)
  }
}

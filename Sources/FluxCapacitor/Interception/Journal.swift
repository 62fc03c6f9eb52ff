#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What is noted before a reduce, so that afterwards it can be told what has changed in its course.
///
/// It belongs to the thread that has the dispatcher's turn.
final class Journal {
  private struct Entry {
    let variable: JournalVariable
    let before: (version: UInt64, value: any Sendable)
  }

  private let entries: [Entry]
  private let instant: ContinuousClock.Instant
  private let wallClockTime: Duration

  init(of variables: [JournalVariable]) {
    entries = variables.map { Entry(variable: $0, before: $0.value.snapshot) }
    wallClockTime = .sinceBeginningOf1970
    instant = .now
  }

  /// The event that the reduce has been, now that it has ended.
  func event(
    of state: any DispatchState,
    reaching stores: [any Storable.Type],
    from place: SourcePlace
  ) -> DispatchEvent {
    let duration = instant.duration(to: .now)
    let ranks = Dictionary(stores.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in
      first
    }
    var changes: [(rank: Int, change: DispatchEvent.Change)] = []
    for entry in entries {
      guard let rank = ranks[ObjectIdentifier(entry.variable.store)] else { continue }
      let after = entry.variable.value.snapshot
      guard after.version != entry.before.version else { continue }
      let change = DispatchEvent.Change(
        store: entry.variable.store,
        name: entry.variable.name,
        oldValue: entry.before.value,
        newValue: after.value,
        variable: entry.variable.value
      )
      changes.append((rank, change))
    }
    return DispatchEvent(
      state: state,
      stores: stores,
      // Sorting is stable: within one store, they stay in the order of its properties.
      changes: changes.sorted { $0.rank < $1.rank }.map(\.change),
      instant: instant,
      wallClockTime: wallClockTime,
      duration: duration,
      fileID: place.fileID,
      line: place.line
    )
  }
}

/// A variable of a store that a state may reach.
struct JournalVariable {
  let store: any Storable.Type
  let name: String
  let value: any AnyPrimitiveValue
}

/// Where a state was invoked.
@usableFromInline
struct SourcePlace: Sendable {
  let fileID: StaticString
  let line: UInt

  @usableFromInline
  init(fileID: StaticString, line: UInt) {
    self.fileID = fileID
    self.line = line
  }
}

extension Duration {
  /// The time by the clock on the wall.
  fileprivate static var sinceBeginningOf1970: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

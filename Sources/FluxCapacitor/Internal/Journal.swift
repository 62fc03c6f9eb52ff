#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What is noted before a reduce, so that afterwards it can be told what the reduce has done.
///
/// It belongs to the thread that has the dispatcher's turn.
final class Journal {
  private struct Entry {
    let store: any Storable.Type
    let item: StoreContents.Item
    let before: (version: UInt64, value: any Sendable)
  }

  private let entries: [Entry]
  private let instant = ContinuousClock.now
  private let wallClockTime = Duration.sinceBeginningOf1970

  init(of stores: [(type: any Storable.Type, contents: StoreContents)]) {
    entries = stores.flatMap { type, contents in
      contents.items.lazy.filter { !$0.value.isDerived }.map {
        Entry(store: type, item: $0, before: $0.value.snapshot)
      }
    }
  }

  /// The event that the reduce has been, now that it has ended.
  func event(
    of state: any DispatchState,
    reaching stores: [any Storable.Type],
    from place: SourcePlace
  ) -> DispatchEvent {
    let duration = instant.duration(to: .now)
    let changes = entries.compactMap { entry -> DispatchEvent.Change? in
      let after = entry.item.value.snapshot
      guard after.version != entry.before.version else { return nil }
      return DispatchEvent.Change(
        store: entry.store,
        name: entry.item.name,
        oldValue: entry.before.value,
        newValue: after.value,
        variable: entry.item.value
      )
    }
    return DispatchEvent(
      state: state,
      stores: stores,
      changes: changes,
      instant: instant,
      wallClockTime: wallClockTime,
      duration: duration,
      fileID: place.fileID,
      line: place.line
    )
  }
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

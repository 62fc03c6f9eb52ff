/// The stores that were registered at a dispatcher's latest event, to find those that are created and released until
/// the next event.
struct RegisteredStores {
  private final class Entry {
    let type: any Storable.Type
    weak let store: AnyObject?

    init(_ store: any Storable) { (type, self.store) = (Swift.type(of: store), store) }
  }

  /// A store that has been created, or has been released or unregistered.
  struct Change: Sendable {
    let store: any Storable.Type
    let isCreation: Bool
  }

  private var entries: [Entry] = []

  /// The registry's number of changes when `entries` was current.
  private var changeCount = 0

  /// Looks at the stores that are registered now.
  ///
  /// - Parameter seen: An empty list, to which the method adds all stores that it looks at. The caller must release them
  ///   without a lock, because the list might have the last references.
  /// - Complexity: O(n) in the number of stores, with a small constant factor unless a store has come or gone.
  /// - Returns: The changes since the former call.
  mutating func update(from registry: Registry, seen: inout [AnyObject]) -> [Change] {
    seen.reserveCapacity(entries.count + 1)
    for entry in entries { entry.store.map { seen.append($0) } }
    let changeCount = registry.changeCount.load(ordering: .relaxed)
    if changeCount == self.changeCount, seen.count == entries.count { return [] }
    self.changeCount = changeCount
    let (former, stores) = (entries.map(\.store), registry.allStores)
    seen += former.compactMap(\.self) + stores as [AnyObject]
    // No store that is looked at is released meanwhile, so the identifiers are unique.
    func identifier(_ store: AnyObject?) -> ObjectIdentifier? { store.map { ObjectIdentifier($0) } }
    let (before, after) = (Set(former.map(identifier)), Set(stores.map(identifier)))
    let released = zip(entries, former).filter { !after.contains(identifier($1)) }
    let created = stores.filter { !before.contains(identifier($0)) }
    entries = stores.map(Entry.init)
    return released.map { Change(store: $0.0.type, isCreation: false) }
      + created.map { Change(store: type(of: $0), isCreation: true) }
  }
}

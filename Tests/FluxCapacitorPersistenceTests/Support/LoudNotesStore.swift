import FluxCapacitor
import FluxCapacitorPersistence

/// A store whose archive has the name of another store's archive, except for case.
final class LoudNotesStore: Persistable {
  static let archive = Archive(Int.self, named: "NOTES", version: 1)

  let count = Variable(0)

  var saved: Int { count.value }

  func restore(_ saved: Int) { count.value = saved }

  func reduce(with _: LoudNotes) {}
}

enum LoudNotes: DispatchState {
  typealias RelatedStoreType = LoudNotesStore
}

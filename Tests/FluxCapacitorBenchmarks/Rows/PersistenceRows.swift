import Dispatch
import FluxCapacitor
import FluxCapacitorPersistence
import Foundation

/// Returns the row for a store that a keeper saves.
///
/// The store holds 1 MB. 10,000 states a second, ten at a time, each change one of its texts. So after each save, the
/// next state copies the array of the texts.
func persistenceRows() -> [Row] {
  [
    Row(
      "dispatch to a store of 1 MB that is saved, 10,000 a second",
      atMost: .ratio(1.2),
      floor: dispatches { dispatcher in
        (withDispatcher(dispatcher) { NotesStore.instantiate() }, nil)
      },
      ours: dispatches { dispatcher in
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("FluxCapacitorBenchmarks-\(UUID().uuidString)")
        do {
          let keeper = try Keeper(directory: folder, dispatcher: dispatcher)
          return (try keeper.open(NotesStore.self), SavedFolder(folder, keeper))
        } catch {
          fatalError("\(error)")
        }
      }
    )
  ]
}

private func dispatches(
  to makeStore: @escaping (Dispatcher) -> (NotesStore, SavedFolder?)
) -> Workload {
  var workload = Workload(10) {
    let dispatcher = Dispatcher()
    let (store, folder) = makeStore(dispatcher)
    var number = 0
    return {
      for _ in 0..<10 {
        number += 1
        dispatcher.dispatch(Notes.replace(number % NotesStore.count, "note \(number)"))
      }
      withExtendedLifetime((store, folder)) {}
    }
  }
  workload.startsPerSecond = 1_000
  return workload
}

/// A keeper's folder, which is removed with this object.
private final class SavedFolder {
  private let url: URL
  private let keeper: Keeper

  init(_ url: URL, _ keeper: Keeper) {
    self.url = url
    self.keeper = keeper
  }

  deinit {
    // On a slow disk, the first save might not have ended yet.
    let isSaved = DispatchSemaphore(value: 0)
    Task.detached { [keeper] in
      try? await keeper.flush()
      isSaved.signal()
    }
    isSaved.wait()
    let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
    precondition(names?.contains("notes.json") == true, "The keeper hasn't saved the store.")
    try? FileManager.default.removeItem(at: url)
  }
}

private enum Notes: DispatchState {
  typealias RelatedStoreType = NotesStore

  case replace(Int, String)
}

private final class NotesStore: Persistable {
  static let archive = Archive([String].self, named: "notes", version: 1)
  static let count = 10_000

  private let notes = Variable(
    (0..<count).map { "note \($0) " + String(repeating: "x", count: 90) }
  )

  var saved: [String] { notes.value }

  func restore(_ saved: [String]) { notes.value = saved }

  func reduce(with state: Notes) {
    switch state {
    case .replace(let index, let note): notes.value[index] = note
    }
  }
}

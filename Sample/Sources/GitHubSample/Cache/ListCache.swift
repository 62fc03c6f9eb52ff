import FluxCapacitorPersistence
import Foundation

/// The folder that contains the file of the last list.
struct ListCache {
  let folder: URL

  /// Saves a list in place of the last list.
  ///
  /// The keeper locks the folder only during this call, so two commands rarely need the folder at
  /// the same time.
  func save(_ list: FetchedList) async throws(KeeperFailure) {
    let keeper = try Keeper(directory: folder)
    let store = try keeper.open(CachedListStore.self) { failure throws(KeeperFailure) in
      // An unreadable file gets another name, and the new list gets a new file.
      guard failure.isUnreadable else { throw failure }
      return .startFresh
    }
    CachedListAction().replace(with: list)
    try await keeper.close()
    withExtendedLifetime(store) {}
  }

  /// Returns the last list, or nil if no list has been saved yet.
  ///
  /// The keeper follows other commands, so it neither locks nor changes the folder.
  func list() throws(KeeperFailure) -> FetchedList? {
    do throws(KeeperFailure) {
      let keeper = try Keeper(directory: folder, role: .following)
      return try keeper.open(CachedListStore.self).list.value
    } catch {
      // The first save creates the folder.
      if error.cause == .folderMissing { return nil }
      throw error
    }
  }
}

extension KeeperFailure {
  /// Whether the file can't be read, although no newer version of this program has written it.
  fileprivate var isUnreadable: Bool {
    switch cause {
    case .damaged, .fileMissing, .notDecodable, .refused, .noMigration, .migrationFailed: true
    default: false
    }
  }
}

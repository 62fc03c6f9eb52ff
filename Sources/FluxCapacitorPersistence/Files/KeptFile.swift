import FluxCapacitor
import Foundation

/// The link between a store and its file.
final class KeptFile<S: Persistable>: KeptStore<S>, AnyKeptFile, @unchecked Sendable {
  var isDeleted = false

  // After `load`, only the keeper's queue uses the properties below.

  /// The file with the contents in `written`, if the keeper follows.
  var identity: FileIdentity?

  /// Whether the file has existed.
  var hasFile = false

  func writeSnapshot(to folder: Folder) throws(KeeperFailure) -> Bool {
    guard let value = snapshot?.value else { return false }
    do {
      let data = try encode(value)
      if case .renamed(data) = written { return true }
      if !isWritten(data, of: value) {
        try write(data, to: folder)
        return true
      }
    } catch {
      throw failure(error)
    }
    forgetSnapshot()
    return false
  }

  private func write(_ data: Data, to folder: Folder) throws(SystemError) {
    let keepsPrevious =
      switch written {
      case .unknown(let keepsPrevious): keepsPrevious
      case .renamed: true
      case .read, .contents: false
      }
    try folder.checkPlace()
    try folder.prepare(fileName, data)
    if !keepsPrevious { try folder.keepPrevious(of: fileName) }
    written = .unknown(keepsPrevious: true)
    try folder.replace(fileName)
    written = .renamed(data)
  }

  func endWriting(_ names: Result<Void, SystemError>, to folder: Folder) throws(KeeperFailure) {
    guard case .renamed(let data) = written, let value = snapshot?.value else { return }
    do throws(SystemError) { try names.get() } catch { throw failure(error) }
    written = .contents(data)
    saved?.value = value
    forgetSnapshot()
  }

  func forgetFile() {
    written = .unknown(keepsPrevious: false)
    if store == nil, let value = saved?.value { snapshot = (nil, value) }
    (pending, hasReduced) = (store, true)
  }
}

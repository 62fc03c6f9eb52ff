import FluxCapacitor
import Foundation

/// The link between a store and its value in a storage.
final class KeptRow<S: Persistable>: KeptStore<S>, AnyKeptRow, @unchecked Sendable {
  let isSuperseded = Variable(false)

  // `load` sets the properties below, before other threads can use this object. Then only the keeper's passes use them.

  /// The keeper, in the contents that it writes.
  var writer = ""
  var revision: String?
  var failedWrites = 0
  var isLossKnown = false

  override func encode(_ value: S.Saved) throws(KeeperFailure.Cause) -> Data {
    try archive.data(for: value, writer: writer)
  }

  override var canBeSaved: Bool { !isSuperseded.value }

  func contents() throws(KeeperFailure) -> Data? {
    guard let value = snapshot?.value else { return nil }
    do {
      let data = try encode(value)
      if !isWritten(data, of: value) {
        written = .unknown(keepsPrevious: false)
        return data
      }
    } catch {
      throw failure(error)
    }
    forgetSnapshot()
    return nil
  }

  func endWriting(_ contents: Data, revision: String) {
    self.revision = revision
    guard let value = snapshot?.value else { return }
    written = .contents(contents)
    saved?.value = value
    forgetSnapshot()
  }
}

import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation

/// Waits for changes of a folder.
struct FileWatch {
  private let changes: AsyncStream<Void>
  private let token: AnyObject & Sendable

  init(_ folder: TemporaryFolder) {
    let (changes, continuation) = AsyncStream<Void>.makeStream()
    self.changes = changes
    do {
      token = try SystemFileSystem().watch(0, at: folder.url.path) { _ in continuation.yield() }
    } catch {
      fatalError("\(error)")
    }
  }

  /// Waits until a condition holds after a change of the folder.
  func until(_ condition: () throws -> Bool) async rethrows {
    if try condition() { return }
    for await _ in changes where try condition() { return }
  }
}

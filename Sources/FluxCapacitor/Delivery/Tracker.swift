import Observation

/// Notifies the Observation framework of changes to a channel that was read inside
/// `withObservationTracking`.
///
/// The tracker's observation of the channel calls `noteChange()` for each change.
@usableFromInline final class Tracker: Observable, @unchecked Sendable {
  private let registrar = ObservationRegistrar()

  /// Whether the channel is released when no tracked read waits for its next change.
  private let isTemporary: Bool

  // `lock` guards the two properties below.
  private let lock = Lock()

  /// The key path of the accesses to a temporary tracker. Only Observation retains this object, and it does
  /// so for as long as a tracked read waits.
  private weak var path: KeyPath<Tracker, Void>?

  /// Whether Observation doesn't retain key paths, so that the tracker can't know whether a read waits.
  private var isBlind = false

  init(isTemporary: Bool) { self.isTemporary = isTemporary }

  private var value: Void { () }

  /// A key path with an argument is a new object for each use.
  private subscript(_: Int) -> Void { () }

  /// Whether a tracked read might still wait for its change.
  var isAwaited: Bool { lock.withLock { !isTemporary || isBlind || path != nil } }

  func noteAccess() {
    guard isTemporary else { return registrar.access(self, keyPath: \.value) }
    registrar.access(self, keyPath: ownPath())
    lock.withLock { if path == nil { isBlind = true } }
  }

  private func ownPath() -> KeyPath<Tracker, Void> {
    lock.withLock {
      let path: KeyPath<Tracker, Void> = path ?? \.[0]
      self.path = path
      return path
    }
  }

  func noteChange() {
    guard isTemporary else { return registrar.withMutation(of: self, keyPath: \.value) {} }
    // Without this key path, no read waits.
    if let path = lock.withLock({ isBlind ? \.[0] : path }) {
      registrar.withMutation(of: self, keyPath: path) {}
    }
  }
}

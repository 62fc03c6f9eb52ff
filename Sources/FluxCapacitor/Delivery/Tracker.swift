import Observation

/// Notifies the Observation framework of changes to a channel that was read inside
/// `withObservationTracking`.
///
/// The tracker's observation of the channel calls `noteChange()` for each change.
@usableFromInline final class Tracker: Observable, Sendable {
  private static let path: any KeyPath<Tracker, Void> & Sendable = \Tracker.value

  private let registrar = ObservationRegistrar()

  private var value: Void { () }

  func noteAccess() { registrar.access(self, keyPath: Tracker.path) }

  func noteChange() { registrar.withMutation(of: self, keyPath: Tracker.path) {} }
}

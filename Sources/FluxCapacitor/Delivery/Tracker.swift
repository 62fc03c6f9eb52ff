import Observation

/// The object by which Observation knows a channel, after a read inside `withObservationTracking`.
///
/// It observes the channel like any other observer, and notifies Observation of each change.
@usableFromInline final class Tracker: Observable, Sendable {
  private static let path: any KeyPath<Tracker, Void> & Sendable = \Tracker.value

  private let registrar = ObservationRegistrar()

  private var value: Void { () }

  func noteAccess() { registrar.access(self, keyPath: Tracker.path) }

  func noteChange() { registrar.withMutation(of: self, keyPath: Tracker.path) {} }
}

import Dispatch

/// Where an observer is called.
public enum ExecuteQueue: Sendable {
  /// On the thread that made the change or, when changes collide, on the thread that is delivering.
  ///
  /// That one is mostly not kept by others who never stop changing the value: each time that it has told a
  /// few hundred changes of theirs, it lets them run, and whoever makes a change then goes on.
  case current

  /// On the main queue: at once if the change is made there and no earlier one is still on its way.
  ///
  /// The workers of a `DispatchQueue.concurrentPerform` that the main queue waits for count as the
  /// main queue, here as in libdispatch and in `MainActor.assumeIsolated`.
  case main

  /// On a queue of one's own. Calls to one observer never overlap, on a concurrent queue either.
  case queue(DispatchQueue)

  @inlinable
  var isCurrent: Bool {
    if case .current = self { true } else { false }
  }

  /// The main queue, for an observer that is isolated to the main actor.
  ///
  /// `observe(on: .main) { … }` chooses it by itself.
  public struct Main: Sendable {
    /// The main queue, for an observer that is isolated to the main actor.
    public static let main = Main()

    @usableFromInline
    init() {}
  }
}

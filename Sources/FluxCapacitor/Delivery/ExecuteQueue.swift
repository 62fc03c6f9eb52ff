#if canImport(Dispatch)
  import Dispatch
#endif

/// Where an observer is called.
public enum ExecuteQueue: Sendable {
  /// On the thread that made the change or, when changes collide, on the thread that is delivering.
  ///
  /// Other threads that never stop changing the value don't usually keep the delivering thread
  /// busy: each time it has delivered a few hundred of their changes, it lets them run, and the
  /// next thread that makes a change continues the delivery.
  case current

  /// On the main queue: immediately if the change is made there and no earlier one is still on its
  /// way.
  ///
  /// The workers of a `DispatchQueue.concurrentPerform` that the main queue waits for count as the
  /// main queue, here as in libdispatch and in `MainActor.assumeIsolated`.
  case main

  #if canImport(Dispatch)
    /// On a queue of your own. Calls to one observer never overlap, even on a concurrent queue.
    case queue(DispatchQueue)
  #endif

  @inlinable var isCurrent: Bool { if case .current = self { true } else { false } }

  /// The queue to which calls are sent, where they are sent to one.
  var dispatchQueue: DispatchQueue {
    #if canImport(Dispatch)
      if case .queue(let queue) = self { return queue }
    #endif
    return .main
  }

  /// The main queue, for an observer that is isolated to the main actor.
  ///
  /// `observe(on: .main) { … }` selects it automatically.
  public struct Main: Sendable {
    /// The main queue, for an observer that is isolated to the main actor.
    public static let main = Main()

    @usableFromInline init() {}
  }
}

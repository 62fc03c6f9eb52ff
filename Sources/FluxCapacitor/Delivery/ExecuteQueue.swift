#if canImport(Dispatch)
  import Dispatch
#endif

/// The thread or queue on which an observer is called.
public enum ExecuteQueue: Sendable {
  /// On the thread that made the change or, when changes collide, on the thread that is delivering.
  ///
  /// Other threads that never stop changing the value don't usually keep the delivering thread busy. Each
  /// time it has delivered a few hundred of their changes, it lets them run. The next thread that makes a
  /// change continues the delivery.
  case current

  /// On the main queue. The call is immediate if the change is made there and no earlier
  /// change is still on its way.
  ///
  /// If the main queue waits for a `DispatchQueue.concurrentPerform`, the workers of that call count as the
  /// main queue. libdispatch and `MainActor.assumeIsolated` treat the workers in the same way.
  case main

  #if canImport(Dispatch)
    /// On a queue of your own. Calls of one observer never overlap, even on a concurrent queue.
    case queue(DispatchQueue)
  #endif

  @inlinable var isCurrent: Bool { if case .current = self { true } else { false } }

  /// The queue that calls are sent to, if they are sent to a queue.
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

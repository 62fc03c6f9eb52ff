#if canImport(Dispatch)
  import Dispatch
#endif

/// Decides on which thread or queue an observer is called.
public enum ExecuteQueue: Sendable {
  /// The observer is called on the thread that made the change, or on a thread that is already delivering changes.
  ///
  /// A delivering thread also delivers the changes that other threads make meanwhile. After a few hundred of them, it
  /// offers the delivery to these threads, and the next one that makes a change takes over. So even threads that change the
  /// value without end rarely keep the delivering thread busy.
  case current

  /// The observer is called on the main queue, and immediately if the change is made on the main queue and no earlier
  /// change is pending.
  ///
  /// If code on the main queue calls `DispatchQueue.concurrentPerform`, that call's worker threads count as the main queue,
  /// as they do for Dispatch and `MainActor.assumeIsolated`.
  case main

  #if canImport(Dispatch)
    /// The observer is called on a queue that you provide. Calls to one observer never overlap, even on a concurrent queue.
    /// Changes that wait for the queue are kept in memory, without a limit.
    case queue(DispatchQueue)
  #endif

  @inlinable var isCurrent: Bool { if case .current = self { true } else { false } }

  /// The dispatch queue on which the observer is called. For `.current`, the value has no meaning.
  var dispatchQueue: DispatchQueue {
    #if canImport(Dispatch)
      if case .queue(let queue) = self { return queue }
    #endif
    return .main
  }

  /// The main queue, for an observer that is isolated to the main actor.
  ///
  /// `observe(on: .main) { … }` uses this type automatically.
  public struct Main: Sendable {
    /// The main queue, for an observer that is isolated to the main actor.
    public static let main = Main()

    @usableFromInline init() {}
  }
}

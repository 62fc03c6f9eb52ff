#if canImport(Dispatch)
  import Dispatch
#endif

/// The thread or queue on which an observer is called.
public enum ExecuteQueue: Sendable {
  /// The observer is called on the thread that made the change, or on a thread that is already delivering
  /// changes.
  ///
  /// A delivering thread also delivers the changes that other threads make during the delivery. After a
  /// few hundred changes by other threads, the delivering thread offers the delivery to these threads.
  /// The next thread that makes a change then takes over the delivery. Even threads that change the value
  /// without end therefore rarely keep the delivering thread busy.
  case current

  /// The observer is called on the main queue. The call is immediate if the change is made on the main
  /// queue and no earlier change is pending.
  ///
  /// If code on the main queue calls `DispatchQueue.concurrentPerform`, the worker threads of that call
  /// count as the main queue. Dispatch and `MainActor.assumeIsolated` treat these worker threads in the
  /// same way.
  case main

  #if canImport(Dispatch)
    /// The observer is called on a queue that you provide. Calls of one observer never overlap, even on a
    /// concurrent queue. The changes that wait for the queue are kept in memory, without a limit.
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

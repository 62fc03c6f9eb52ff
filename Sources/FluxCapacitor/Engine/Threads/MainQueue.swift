#if canImport(Dispatch)
  import Dispatch
#elseif _runtime(_multithreaded)
  #error("FluxCapacitor requires Dispatch on platforms with several threads.")
#endif

/// Detects whether the current code runs on the main queue.
///
/// `Thread.isMainThread` gives wrong results on Linux. On Linux, the main actor leaves the main thread at
/// the first `await` of an asynchronous `main`.
@usableFromInline package enum MainQueue {
  #if canImport(Dispatch)
    private static let key: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()
  #endif

  @usableFromInline package static var isCurrent: Bool {
    #if DEBUG
      if let thread = scheduledThread { return thread.isMain }
    #endif
    #if canImport(Dispatch)
      return DispatchQueue.getSpecific(key: key) != nil
    #else
      return true
    #endif
  }
}

#if !canImport(Dispatch)
  /// A replacement for the main queue on platforms without Dispatch, which have only one thread. The
  /// replacement runs blocks on the main actor.
  @usableFromInline package struct DispatchQueue: Sendable {
    @usableFromInline static let main = DispatchQueue()

    let label = "main"

    func async(execute block: @escaping @Sendable () -> Void) { Task { @MainActor in block() } }
  }
#endif

extension DispatchQueue {
  /// Runs a block on this queue, asynchronously.
  @usableFromInline package func send(_ block: @escaping @Sendable () -> Void) {
    #if DEBUG
      if let thread = scheduledThread { return thread.send(block, to: self) }
    #endif
    async(execute: block)
  }
}

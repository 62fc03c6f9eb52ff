import Dispatch

/// Whether code runs on the main queue.
///
/// `Thread.isMainThread` would be wrong on Linux: the main actor leaves the main thread at the
/// first `await` of an asynchronous `main`.
@usableFromInline
enum MainQueue {
  private static let key: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  @usableFromInline
  static var isCurrent: Bool {
    #if DEBUG
      if let thread = scheduledThread { return thread.isMain }
    #endif
    return DispatchQueue.getSpecific(key: key) != nil
  }
}

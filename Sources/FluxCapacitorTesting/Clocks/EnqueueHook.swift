import Foundation

/// The hook that the Swift runtime calls before it enqueues a job of the default executor.
///
/// The hook passes the job to the scenario or to the `Jobs` to which it belongs, and otherwise lets the runtime enqueue it as
/// usual. The library sets the hook once, and never removes it.
enum EnqueueHook {
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Whether the runtime has this hook.
  static let isSet = set("swift_task_enqueueGlobal_hook", to: enqueue, as: Hook.self)

  static func set<Hook>(_ name: String, to hook: Hook, as _: Hook.Type) -> Bool {
    guard let address = dlsym(dlopen(nil, RTLD_LAZY), name) else { return false }
    address.assumingMemoryBound(to: Hook?.self).pointee = hook
    return true
  }

  private static let enqueue: Hook = { job, original in
    #if DEBUG
      if TaskHooks.take(job) { return }
    #endif
    if !Jobs.take(job) { original(job) }
  }
}

extension UnownedJob {
  /// The job's address, which identifies the job until the job ends.
  var address: UInt { unsafeBitCast(self, to: UInt.self) }
}

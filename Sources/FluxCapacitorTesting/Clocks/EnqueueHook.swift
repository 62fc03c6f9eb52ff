import Foundation

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// The hook that the Swift runtime calls before it enqueues a job of the default executor.
///
/// The hook passes the job to the scenario or to the `Jobs` to which it belongs, and otherwise lets the runtime enqueue it as
/// usual. The library sets the hook once, and never removes it.
enum EnqueueHook {
  typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  /// Whether the runtime has this hook.
  static let isSet: Bool = {
    #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
      _createExecutors(factory: HookedExecutor.self)
      return true
    #else
      return set("swift_task_enqueueGlobal_hook", to: enqueue, as: Hook.self)
    #endif
  }()

  static func set<Hook>(_ name: String, to hook: Hook, as _: Hook.Type) -> Bool {
    guard let address = dlsym(dlopen(nil, RTLD_LAZY), name) else { return false }
    address.assumingMemoryBound(to: Hook?.self).pointee = hook
    return true
  }

  private static let enqueue: Hook = { job, original in if !take(job) { original(job) } }

  fileprivate static func take(_ job: UnownedJob) -> Bool {
    #if DEBUG
      if TaskHooks.take(job) { return true }
    #endif
    return Jobs.take(job)
  }
}

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  /// The default executor with this hook.
  ///
  /// Since Swift 6.2, `Task.yield()` enqueues its job on the executor that runs the task, and on the default executor
  /// without a call of `swift_task_enqueueGlobal_hook`. There, a task goes on after it has run on an actor.
  private final class HookedExecutor: TaskExecutor, ExecutorFactory {
    static let original = Task.defaultExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if !EnqueueHook.take(job) { HookedExecutor.original.enqueue(job) }
    }

    static var mainExecutor: any MainExecutor { MainActor.executor }

    /// The original object with the witness table of this class, whose methods don't use `self`. So the object keeps its
    /// other conformances, and other threads may read the object and the table while the runtime stores them.
    static var defaultExecutor: any TaskExecutor {
      let hooked: any TaskExecutor = HookedExecutor()
      var executor = unsafeBitCast(original as any TaskExecutor, to: (UInt, UInt).self)
      executor.1 = unsafeBitCast(hooked as any TaskExecutor, to: (UInt, UInt).self).1
      return unsafeBitCast(executor, to: (any TaskExecutor).self)
    }
  }
#endif

extension UnownedJob {
  /// The job's address, which identifies the job until the job ends.
  var address: UInt { unsafeBitCast(self, to: UInt.self) }
}

#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Foundation

  /// Runs a job as a thread of the scenario if a thread of that scenario enqueues it.
  ///
  /// The runtime calls its hooks before it enqueues a job. The hooks leave all other jobs to the runtime.
  /// They are set once, before the first scenario, and stay set.
  enum TaskHooks {
    typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
    typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor
    typealias CheckIsolated = @convention(thin) (UnownedSerialExecutor) -> Void
    typealias CheckIsolatedHook = @convention(thin) (UnownedSerialExecutor, CheckIsolated) -> Void

    static let isSet: Bool = {
      set("swift_task_enqueueGlobal_hook", to: enqueue, as: EnqueueHook.self)
        && set("swift_task_checkIsolated_hook", to: checkIsolated, as: CheckIsolatedHook.self)
        // Runtimes before Swift 6.2 have no hook for the main executor, but one for enqueuing a job there.
        && (set("swift_task_getMainExecutor_hook", to: mainExecutor, as: MainExecutorHook.self)
          || set("swift_task_enqueueMainExecutor_hook", to: enqueueOnMain, as: EnqueueHook.self))
    }()

    private static func set<Hook>(_ name: String, to hook: Hook, as _: Hook.Type) -> Bool {
      guard let address = dlsym(dlopen(nil, RTLD_LAZY), name) else { return false }
      address.assumingMemoryBound(to: Hook?.self).pointee = hook
      return true
    }

    private static let enqueue: EnqueueHook = { job, original in
      guard let thread = scheduledThread as? ScenarioThread else { return original(job) }
      if thread.step == nil, thread.job == job.address {
        thread.hasHopped = true
      } else {
        thread.enqueue(job)
      }
    }

    private static let enqueueOnMain: EnqueueHook = { job, original in
      guard let thread = scheduledThread as? ScenarioThread else { return original(job) }
      thread.enqueueOnMain(job)
    }

    private static let mainExecutor: MainExecutorHook = { original in
      guard scheduledThread is ScenarioThread else { return original() }
      return ScenarioMainExecutor.shared.asUnownedSerialExecutor()
    }

    private static let checkIsolated: CheckIsolatedHook = { executor, original in
      if let thread = scheduledThread, thread.isMain, isMain(executor) { return }
      original(executor)
    }

    private static func isMain(_ executor: UnownedSerialExecutor) -> Bool {
      let main = unsafeBitCast(MainActor.sharedUnownedExecutor, to: (UInt, UInt).self)
      return unsafeBitCast(executor, to: (UInt, UInt).self) == main
    }
  }

  /// The executor that the jobs of a scenario run on, as far as the runtime knows.
  private final class ScenarioExecutor: TaskExecutor {
    static let shared = ScenarioExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let thread = scheduledThread as? ScenarioThread else {
        // A job that leaves the scenario runs on a global queue, like other jobs.
        return DispatchQueue.global().async {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
      }
      thread.enqueue(job)
    }
  }

  /// The executor of the main actor on the threads of a scenario.
  private final class ScenarioMainExecutor: SerialExecutor {
    static let shared = ScenarioMainExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let thread = scheduledThread as? ScenarioThread else {
        // A job that leaves the scenario runs on the main queue.
        return DispatchQueue.main.async {
          job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        }
      }
      thread.enqueueOnMain(job)
    }
  }

  extension ScenarioThread {
    func enqueue(_ job: UnownedJob) {
      run.add(byThread: self, named: "a task", isJob: true) {
        (scheduledThread as? ScenarioThread)?.runJob(job)
      }
    }

    func enqueueOnMain(_ job: UnownedJob) {
      run.add(byThread: self, named: "a task on main", isJob: true, to: .main) {
        job.runSynchronously(on: MainActor.sharedUnownedExecutor)
      }
    }

    /// Runs a job, and runs it again if it immediately enqueues itself.
    ///
    /// A task doesn't prefer the executor that it runs on here. So it first hops to the executor that it is
    /// already on. Outside of a scenario, this hop is not a suspension.
    private func runJob(_ job: UnownedJob) {
      self.job = job.address
      repeat {
        hasHopped = false
        job.runSynchronously(on: ScenarioExecutor.shared.asUnownedTaskExecutor())
      } while hasHopped
    }
  }

  extension UnownedJob {
    /// The address, which identifies the job until it has ended.
    fileprivate var address: UInt { unsafeBitCast(self, to: UInt.self) }
  }
#endif

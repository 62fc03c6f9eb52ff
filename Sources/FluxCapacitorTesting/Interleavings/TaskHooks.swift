#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Foundation

  /// Has the jobs of tasks that a thread of a scenario enqueues run as threads of the scenario.
  ///
  /// The runtime asks its hooks before it enqueues a job; whatever does not come from a scenario goes on to
  /// where it would have gone. They are set once, before the first scenario, and stay.
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
        // Runtimes before Swift 6.2 don't ask for the main executor. They ask before enqueuing there.
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

  /// What a job believes to run on.
  private final class ScenarioExecutor: TaskExecutor {
    static let shared = ScenarioExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let thread = scheduledThread as? ScenarioThread else {
        // Whoever leaves the scenario goes where all tasks go.
        return DispatchQueue.global().async {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
      }
      thread.enqueue(job)
    }
  }

  /// The executor of the main actor, for all that the threads of a scenario run.
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

    /// Runs a job, and what it enqueues at once if that is itself.
    ///
    /// A task doesn't prefer the executor that it runs on here. So it first hops to where it is
    /// already, which is no suspension elsewhere.
    private func runJob(_ job: UnownedJob) {
      self.job = job.address
      repeat {
        hasHopped = false
        job.runSynchronously(on: ScenarioExecutor.shared.asUnownedTaskExecutor())
      } while hasHopped
    }
  }

  extension UnownedJob {
    /// Identifies the job as long as it has not ended.
    fileprivate var address: UInt { unsafeBitCast(self, to: UInt.self) }
  }
#endif

#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Foundation

  /// Runs each job that a scenario's thread enqueues as a thread of the scenario.
  ///
  /// The Swift runtime calls these hooks and `EnqueueHook` before it enqueues a job. The hooks let the runtime enqueue jobs
  /// from outside a scenario as usual. The library sets the hooks once, before the first scenario, and
  /// never removes the hooks.
  enum TaskHooks {
    typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
    typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor
    typealias CheckIsolated = @convention(thin) (UnownedSerialExecutor) -> Void
    typealias CheckIsolatedHook = @convention(thin) (UnownedSerialExecutor, CheckIsolated) -> Void

    static let isSet: Bool =
      EnqueueHook.isSet
      && EnqueueHook.set(
        "swift_task_checkIsolated_hook",
        to: checkIsolated,
        as: CheckIsolatedHook.self
      )
      // Instead of a hook for the main executor, runtimes before Swift 6.2 have a hook for enqueuing jobs
      // on the main executor.
      && (EnqueueHook.set(
        "swift_task_getMainExecutor_hook",
        to: mainExecutor,
        as: MainExecutorHook.self
      )
        || EnqueueHook.set(
          "swift_task_enqueueMainExecutor_hook",
          to: enqueueOnMain,
          as: EnqueueHook.Hook.self
        ))

    /// Enqueues a job of a scenario's thread. Returns false for all other jobs.
    static func take(_ job: UnownedJob) -> Bool {
      guard let thread = scheduledThread as? ScenarioThread else { return false }
      // While a task hops, it isn't current. A yield's job can have the address of the ended job of an actor.
      let isHop = thread.job == job.address && withUnsafeCurrentTask { $0 == nil }
      if thread.step == nil, isHop {
        thread.hasHopped = true
      } else {
        thread.enqueue(job)
      }
      return true
    }

    private static let enqueueOnMain: EnqueueHook.Hook = { job, original in
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

  /// The task executor that a scenario's jobs run on from the runtime's point of view.
  private final class ScenarioExecutor: TaskExecutor {
    static let shared = ScenarioExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let thread = scheduledThread as? ScenarioThread else {
        // A job from outside the scenario runs on a global queue, like ordinary jobs.
        return DispatchQueue.global().async {
          job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
      }
      thread.enqueue(job)
    }
  }

  /// The executor that replaces the main actor's executor on the threads of a scenario.
  private final class ScenarioMainExecutor: SerialExecutor {
    static let shared = ScenarioMainExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      guard let thread = scheduledThread as? ScenarioThread else {
        // A job from outside the scenario runs on the main queue.
        return DispatchQueue.main.async {
          job.runSynchronously(on: MainActor.sharedUnownedExecutor)
        }
      }
      thread.enqueueOnMain(job)
    }
  }

  extension ScenarioThread {
    func enqueue(_ job: UnownedJob) {
      run.add(byThread: self, named: run.name(of: job), isJob: true) {
        (scheduledThread as? ScenarioThread)?.runJob(job)
      }
    }

    func enqueueOnMain(_ job: UnownedJob) {
      run.add(byThread: self, named: "\(run.name(of: job)) on main", isJob: true, to: .main) {
        job.runSynchronously(on: MainActor.sharedUnownedExecutor)
      }
    }

    /// Runs a job, and runs the job again if it immediately enqueues itself.
    ///
    /// A task has no preference for the scenario's executor, so the task's job first hops to the default
    /// executor. Outside a scenario, tasks already run on the default executor, so this hop is not a
    /// suspension.
    private func runJob(_ job: UnownedJob) {
      self.job = job.address
      repeat {
        hasHopped = false
        job.runSynchronously(on: ScenarioExecutor.shared.asUnownedTaskExecutor())
      } while hasHopped
    }
  }
#endif

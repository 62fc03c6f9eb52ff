#if DEBUG
  import Foundation

  /// The threads that explore scenarios for asynchronous tests.
  ///
  /// An exploration blocks its thread. If it ran on a thread of the cooperative pool, other tests would wait for
  /// it. Only as many explorations run at a time as there are processors.
  package final class ExplorationThreads: TaskExecutor {
    package static let shared = ExplorationThreads()

    private let queue = OperationQueue()

    private init() {
      queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    }

    package func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif

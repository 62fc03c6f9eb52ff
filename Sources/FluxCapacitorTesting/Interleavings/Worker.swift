#if DEBUG
  import Dispatch
  import FluxCapacitor
  import Foundation

  /// A system thread that runs the threads of scenarios, one at a time.
  ///
  /// `ScenarioThread.resume()` sets `thread` and then signals the baton. The worker reads `thread` after
  /// the signal.
  final class Worker: @unchecked Sendable {
    let baton = DispatchSemaphore(value: 0)
    @exclusivity(unchecked) var thread: ScenarioThread?

    init(on processor: Processor) {
      Thread.detachNewThread {
        processor.keepThisThread()
        self.main()
      }
    }

    private func main() {
      while true {
        baton.wait()
        guard let thread else { return }
        self.thread = nil
        thread.main()
      }
    }
  }

  /// The workers that an exploration uses.
  final class Workers {
    private var workers: [Worker] = []
    private let processor = Processor.take()

    /// Returns the worker with a given number. In each run, threads with the same number run on the same
    /// worker.
    func worker(for number: Int) -> Worker {
      if number > workers.count { workers.append(Worker(on: processor)) }
      return workers[number - 1]
    }

    func end() {
      for worker in workers { worker.baton.signal() }
      processor.release()
    }

    /// Abandons the workers, because some workers run threads that never end.
    func abandon() {
      workers = []
    }
  }

  /// The processor that runs all workers of an exploration, or none on systems that don't let a thread choose.
  ///
  /// Only one worker runs at a time, and handovers between workers take half the time if all workers share
  /// a processor. Explorations that run at the same time use different processors.
  struct Processor: Sendable {
    private let number: Int?

    /// The numbers of explorations on each of the processors that the process may use.
    private static let users = Guarded(Dictionary(uniqueKeysWithValues: allowed.map { ($0, 0) }))

    static func take() -> Processor {
      users.withLock { users in
        let number = users.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        if let number { users[number, default: 0] += 1 }
        return Processor(number: number)
      }
    }

    func release() {
      guard let number else { return }
      Processor.users.withLock { $0[number, default: 1] -= 1 }
    }

    func keepThisThread() {
      guard let number, let call = Processor.symbol("sched_setaffinity") else { return }
      typealias SetAffinity = @convention(c) (Int32, Int, UnsafeRawPointer) -> Int32
      var set = [UInt8](repeating: 0, count: 128)
      set[number / 8] = 1 << UInt8(number % 8)
      _ = unsafeBitCast(call, to: SetAffinity.self)(0, set.count, &set)
    }

    private static let allowed: [Int] = {
      guard let call = symbol("sched_getaffinity") else { return [] }
      typealias GetAffinity = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32
      var set = [UInt8](repeating: 0, count: 128)
      let result = unsafeBitCast(call, to: GetAffinity.self)(getpid(), set.count, &set)
      return result < 0 ? [] : (0..<1024).filter { set[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    }()

    /// Looks up a C function of Linux, which Swift's system modules don't declare.
    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
      dlsym(dlopen(nil, RTLD_LAZY), name)
    }
  }
#endif

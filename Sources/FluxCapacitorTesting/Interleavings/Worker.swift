#if DEBUG
  import Dispatch
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
    private let processor = Processor.current

    /// Returns the worker with a given number. In each run, threads with the same number run on the same
    /// worker.
    func worker(for number: Int) -> Worker {
      if number > workers.count { workers.append(Worker(on: processor)) }
      return workers[number - 1]
    }

    func end() {
      for worker in workers { worker.baton.signal() }
    }

    /// Abandons the workers, because some workers run threads that never end.
    func abandon() {
      workers = []
    }
  }

  /// The processor that runs all workers of an exploration.
  ///
  /// Only one worker runs at a time, and handovers between workers take half the time if all workers share
  /// a processor.
  struct Processor: Sendable {
    #if canImport(Darwin) || os(Windows)
      static let current = Processor()

      func keepThisThread() {}
    #else
      private let number: Int32?

      static var current: Processor {
        guard let call = symbol("sched_getcpu") else { return Processor(number: nil) }
        let number = unsafeBitCast(call, to: (@convention(c) () -> Int32).self)()
        return Processor(number: (0..<1024).contains(number) ? number : nil)
      }

      func keepThisThread() {
        guard let number, let call = Processor.symbol("sched_setaffinity") else { return }
        typealias SetAffinity = @convention(c) (Int32, Int, UnsafeRawPointer) -> Int32
        var set = [UInt8](repeating: 0, count: 128)
        set[Int(number) / 8] = 1 << (UInt8(number) % 8)
        _ = unsafeBitCast(call, to: SetAffinity.self)(0, set.count, &set)
      }

      /// Looks up a C function that Swift's system modules don't declare.
      private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
    #endif
  }
#endif

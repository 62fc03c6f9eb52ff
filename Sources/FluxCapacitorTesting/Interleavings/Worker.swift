#if DEBUG
  import Dispatch
  import Foundation

  /// A thread of the system, which runs one thread of a scenario after the other.
  ///
  /// `thread` is written before the baton is handed over, and read behind that.
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

  /// The workers of an exploration.
  final class Workers {
    private var workers: [Worker] = []
    private let processor = Processor.current

    /// The worker for the thread of a number, so that each run is the same.
    func worker(for number: Int) -> Worker {
      if number > workers.count { workers.append(Worker(on: processor)) }
      return workers[number - 1]
    }

    /// Has the workers end.
    func end() {
      for worker in workers { worker.baton.signal() }
    }

    /// Forgets the workers, some of which will never end their threads.
    func abandon() {
      workers = []
    }
  }

  /// A processor. Only one of the workers runs at a time, and on one processor they hand over to each other
  /// in half the time.
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

      /// The system's modules leave these functions out.
      private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
    #endif
  }
#endif

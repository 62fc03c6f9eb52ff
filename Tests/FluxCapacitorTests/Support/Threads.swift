import Dispatch
import Foundation
import Synchronization

/// Runs the body on `count` threads that start together, and blocks until all threads have ended.
///
/// Each call creates new threads, because a thread pool might run fewer threads at the same time.
func inParallel(
  _ count: Int,
  stackSize: Int? = nil,
  _ body: @escaping @Sendable (_ index: Int) -> Void
) {
  startThreads(count, stackSize: stackSize, body).wait()
}

/// Runs the body on `count` threads that start together, and suspends until all threads have ended.
func inParallel(
  _ count: Int,
  stackSize: Int? = nil,
  _ body: @escaping @Sendable (_ index: Int) -> Void
) async {
  let done = startThreads(count, stackSize: stackSize, body)
  await withCheckedContinuation { continuation in
    done.notify(queue: .global()) { continuation.resume() }
  }
}

private func startThreads(
  _ count: Int,
  stackSize: Int?,
  _ body: @escaping @Sendable (_ index: Int) -> Void
) -> DispatchGroup {
  let start = Start(of: count)
  let done = DispatchGroup()
  for index in 0..<count {
    done.enter()
    let thread = Thread {
      start.waitForAll()
      body(index)
      done.leave()
    }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
  return done
}

private final class Start: Sendable {
  private let ready = Atomic(0)
  private let count: Int

  init(of count: Int) {
    self.count = count
  }

  func waitForAll() {
    ready.add(1, ordering: .acquiringAndReleasing)
    while ready.load(ordering: .acquiring) < count { sched_yield() }
  }
}

/// A gate that opens once and blocks waiting threads until then.
struct Gate: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func open() { group.leave() }
  func wait() { group.wait() }
}

/// A thread that runs the closure beside the test.
struct Beside: Sendable {
  private let done = Gate()

  init(_ body: @escaping @Sendable () -> Void) {
    let done = done
    Thread.detachNewThread {
      body()
      done.open()
    }
  }

  func join() { done.wait() }
}

extension ObjectIdentifier {
  static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}

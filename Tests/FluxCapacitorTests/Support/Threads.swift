import Dispatch
import Foundation
import Synchronization

/// Runs a body on several threads, which start together, and waits for all of them.
///
/// The threads don't come from a pool, because a race needs all of them at the same time.
func inParallel(
  _ count: Int,
  stackSize: Int? = nil,
  _ body: @escaping @Sendable (_ index: Int) -> Void
) {
  startThreads(count, stackSize: stackSize, body).wait()
}

/// Runs a body on several threads, which start together, and awaits all of them.
///
/// While the test waits, its thread runs other tests.
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

/// A gate that opens once. Until then, it holds each thread that waits for it.
struct Gate: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  func open() { group.leave() }
  func wait() { group.wait() }
}

/// A thread that runs at the same time as the test.
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

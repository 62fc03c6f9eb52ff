import FluxCapacitor
import Foundation
import Synchronization
import Testing

/// A door that one thread opens and others wait at.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until it is opened; answers whether it was in time.
  @discardableResult
  func pass(within seconds: Double = 10) -> Bool {
    guard semaphore.wait(timeout: .now() + seconds) == .success else { return false }
    semaphore.signal()
    return true
  }
}

/// What was told, in order, from any thread. Its lock is one that the thread sanitizer knows.
final class Log<Element: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var storage: [Element] = []

  var entries: [Element] { lock.withLock { storage } }
  var count: Int { lock.withLock { storage.count } }

  func append(_ entry: Element) { lock.withLock { storage.append(entry) } }
}

/// A plain box whose user vouches for its safety.
final class Box<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  @discardableResult func add(_ amount: Int = 1) -> Int {
    count.add(amount, ordering: .sequentiallyConsistent).newValue
  }
}

/// A thread of its own, which can be waited for.
final class Worker: Sendable {
  private let done = Gate()

  init(stackSize: Int = 1 << 20, _ body: @escaping @Sendable () -> Void) {
    let done = done
    let body = Box<(@Sendable () -> Void)?>(body)
    let thread = Thread {
      body.value?()
      // What it holds is gone when the thread has been waited for.
      body.value = nil
      done.open()
    }
    thread.stackSize = stackSize
    thread.start()
  }

  @discardableResult
  func join(within seconds: Double = 60) -> Bool { done.pass(within: seconds) }
}

/// Runs a body on several threads at once, and waits for all of them.
@discardableResult
func onThreads(
  _ count: Int,
  within seconds: Double = 240,
  _ body: @escaping @Sendable (Int) -> Void
) -> Bool {
  let start = Gate()
  let workers = (0..<count).map { index in
    Worker {
      start.pass()
      body(index)
    }
  }
  start.open()
  return workers.allSatisfy { $0.join(within: seconds) }
}

/// Runs a body on the main queue, and waits for it.
func onMain<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
  let result = Box<Result?>(nil)
  let done = Gate()
  DispatchQueue.main.async {
    result.value = body()
    done.open()
  }
  done.pass()
  guard let value = result.value else { preconditionFailure("The main queue is stuck.") }
  return value
}

/// Tells of its end.
final class Probe: Sendable {
  private let onDeinit: @Sendable () -> Void
  init(onDeinit: @escaping @Sendable () -> Void = {}) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

/// Waits until what a background thread does has come about.
func eventually(within seconds: Double = 10, _ condition: () -> Bool) -> Bool {
  let end = Date() + seconds
  while Date() < end {
    if condition() { return true }
    sched_yield()
  }
  return condition()
}

#if DEBUG
  let scale = 1
#else
  let scale = 4
#endif

import Dispatch
import FluxCapacitor

/// Keeps a value, and what led to it, from being optimised away.
@inline(never)
@_optimize(none)
func blackHole<Value>(_: Value) {}

/// Nanoseconds for each operation, over some repeats.
struct Measurement {
  private(set) var samples: [Double] = []

  var minimum: Double { samples.min() ?? .nan }

  var median: Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  mutating func add(_ nanoseconds: Double) {
    samples.append(nanoseconds)
  }
}

/// One way of doing something a number of times.
struct Workload {
  let operations: Int

  /// Makes ready, and returns what is to be timed.
  let prepare: () -> () -> Void

  init(_ operations: Int, prepare: @escaping () -> () -> Void) {
    self.operations = operations
    self.prepare = prepare
  }

  /// Nanoseconds for each operation, this time.
  func run() -> Double {
    let body = prepare()
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    let end = DispatchTime.now().uptimeNanoseconds
    // The time doesn't include the release of the objects that the body holds.
    withExtendedLifetime(body) {}
    return Double(end - start) / Double(operations)
  }
}

extension Workload {
  /// Tasks that each invoke a state, started and awaited one after the other.
  static func tasks(
    _ count: Int,
    start: @escaping @Sendable (CounterAction, Dispatcher.Counter) -> Task<Void, Never>
  ) -> Workload {
    Workload(count) {
      let store = CounterStore.instantiate()
      let action = CounterAction()
      return {
        let done = DispatchSemaphore(value: 0)
        Task {
          for number in 0..<count { await start(action, .set(number)).value }
          done.signal()
        }
        done.wait()
        withExtendedLifetime(store) {}
      }
    }
  }
}

/// Measures workloads in turns, so that the noise of the machine meets all of them alike.
func measure(_ workloads: [Workload], repeats: Int) -> [Measurement] {
  var measurements = workloads.map { _ in Measurement() }
  for workload in workloads { _ = workload.run() }
  for _ in 0..<repeats {
    for (index, workload) in workloads.enumerated() { measurements[index].add(workload.run()) }
  }
  return measurements
}

import Dispatch
import FluxCapacitor

/// Prevents the optimizer from removing the computation of a value.
@inline(never)
@_optimize(none)
func blackHole<Value>(_: Value) {}

/// The nanoseconds per operation in each run of a workload.
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

/// Code that performs an operation repeatedly.
struct Workload {
  let operations: Int

  /// Prepares the workload, and returns the closure that is timed.
  let prepare: () -> () -> Void

  init(_ operations: Int, prepare: @escaping () -> () -> Void) {
    self.operations = operations
    self.prepare = prepare
  }

  /// The number of times per second that the body starts, or nil if it runs once.
  var startsPerSecond: Int?

  /// Runs the workload once, and returns the nanoseconds per operation.
  func run() -> Double {
    let body = prepare()
    if let startsPerSecond { return runForASecond(body, startsPerSecond) }
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    let end = DispatchTime.now().uptimeNanoseconds
    // Objects that the body holds are released only after the end of the timing.
    withExtendedLifetime(body) {}
    return Double(end - start) / Double(operations)
  }

  /// Runs the body at a constant rate for a second, and returns the nanoseconds per operation, without the
  /// time between the runs.
  private func runForASecond(_ body: () -> Void, _ starts: Int) -> Double {
    let beginning = DispatchTime.now().uptimeNanoseconds
    var total: UInt64 = 0
    for number in 0..<starts {
      let due = beginning + UInt64(number) * 1_000_000_000 / UInt64(starts)
      while DispatchTime.now().uptimeNanoseconds < due {}
      let start = DispatchTime.now().uptimeNanoseconds
      body()
      total += DispatchTime.now().uptimeNanoseconds - start
    }
    return Double(total) / Double(starts * operations)
  }
}

extension Workload {
  /// Returns a workload that starts tasks and awaits each task before the next. Each task invokes a state.
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

/// Measures workloads alternately, so that noise on the machine affects all workloads equally.
func measure(_ workloads: [Workload], repeats: Int) -> [Measurement] {
  var measurements = workloads.map { _ in Measurement() }
  for workload in workloads { _ = workload.run() }
  for _ in 0..<repeats {
    for (index, workload) in workloads.enumerated() { measurements[index].add(workload.run()) }
  }
  return measurements
}

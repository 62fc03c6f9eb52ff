import Dispatch
import FluxCapacitor
import Foundation

/// A measurement of the exponent `e` in cost ~ size^e, where the cost is the median time of an operation.
struct Growth {
  let name: String
  let sizes: [Int]

  /// Returns the workload for a size.
  let workload: (Int) -> Workload

  func result(repeats: Int) -> GrowthResult {
    let medians = measure(sizes.map(workload), repeats: repeats).map(\.median)
    return GrowthResult(name: name, sizes: sizes, medians: medians)
  }
}

struct GrowthResult {
  let name: String
  let sizes: [Int]

  /// The median nanoseconds per operation, for each size.
  let medians: [Double]

  /// The slope of the regression line through the logarithms of sizes and medians. Size zero is left out.
  var exponent: Double {
    let points = zip(sizes, medians).filter { $0.0 > 0 }.map { (x: log(Double($0)), y: log($1)) }
    let meanX = points.map(\.x).reduce(0, +) / Double(points.count)
    let meanY = points.map(\.y).reduce(0, +) / Double(points.count)
    let slope = points.map { ($0.x - meanX) * ($0.y - meanY) }.reduce(0, +)
    return slope / points.map { ($0.x - meanX) * ($0.x - meanX) }.reduce(0, +)
  }
}

func growths(scale: Int) -> [Growth] {
  let sum = Sum()
  return [
    Growth(name: "set, by observers", sizes: [0, 1, 10, 100, 1_000, 10_000]) { size in
      let sets = scale * 100 / max(1, size)
      return Workload(sets) {
        let variable = Variable(0)
        for _ in 0..<size { _ = variable.observe { sum.add($0) } }
        return { for value in 0..<sets { variable.value = value } }
      }
    },
    Growth(name: "observe and clean, by observers", sizes: [0, 1, 10, 100, 1_000, 10_000]) { size in
      Workload(scale * 10) {
        let variable = Variable(0)
        for _ in 0..<size { _ = variable.observe { sum.add($0) } }
        return { for _ in 0..<scale * 10 { variable.observe { sum.add($0) }.clean() } }
      }
    },
    Growth(name: "dispatch, by other stores", sizes: [1, 10, 100, 1_000]) { size in
      Workload(scale * 100) {
        let others = otherStores(size)
        let store = CounterStore.instantiate()
        let action = CounterAction()
        return {
          for value in 0..<scale * 100 { action.invoke(.set(value)) }
          withExtendedLifetime((store, others)) {}
        }
      }
    },
    Growth(name: "dispatch, by stores of its type", sizes: [1, 10, 100, 1_000]) { size in
      let dispatches = scale * 100 / size
      return Workload(dispatches) {
        let stores = countingStores(size)
        let action = CounterAction()
        return {
          for value in 0..<dispatches { action.invoke(.set(value)) }
          withExtendedLifetime(stores) {}
        }
      }
    },
    Growth(name: "write in two overlapping transactions", sizes: [100, 1_000, 10_000]) { size in
      Workload(size) {
        let variables = (0..<size).map { _ in Variable(0) }
        let dusts = variables.map { $0.observe { sum.add($0) } }
        return {
          Dispatcher.shared.transaction {
            for variable in variables { variable.value = 1 }
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
              Dispatcher().transaction { for variable in variables { variable.value = 2 } }
              done.signal()
            }
            done.wait()
            for variable in variables { variable.value = 3 }
          }
          for dust in dusts { dust.clean() }
        }
      }
    },
    Growth(name: "increment, by threads", sizes: [1, 2, 4]) { size in
      Workload(scale * 100) {
        let variable = Variable(0)
        let each = scale * 100 / size
        return { onThreads(size) { for _ in 0..<each { variable.value += 1 } } }
      }
    },
    Growth(name: "close a session, by sessions", sizes: [100, 1_000, 10_000]) { size in
      Workload(size) {
        let sessions = Sessions<Int, Int>(idle: .seconds(3_600)) { number, _ in number }
        finish { for number in 0..<size { _ = try? await sessions.with(number) { $0 } } }
        return { finish { await sessions.shutDown() } }
      }
    },
    Growth(name: "refuse an operation, by the limit", sizes: [100, 1_000, 10_000]) { size in
      Workload(scale * 10) {
        let effects = Effects(.atMost(size, per: .seconds(3_600)))
        finish { for _ in 0..<size { await effects.run { _ in }.value } }
        return { for _ in 0..<scale * 10 { effects.run { _ in } } }
      }
    },
  ]
}

/// Runs an asynchronous closure, and waits for its end.
private func finish(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task {
    await body()
    end.signal()
  }
  end.wait()
}

import Foundation
import FluxCapacitor
import FluxCapacitorTesting
import Synchronization
import Testing

/// The promises about tasks under contention: 200,000 requests each, in all its cases.
@Suite(.oneAtATime, .isolatedDispatcher, .timeLimit(.minutes(10)))
struct TaskStressTests {
  @Test(arguments: [(1, false), (4, false), (3, true)])
  func noOlderResultComesAfterANewerOne(threads: Int, isCleaned: Bool) async {
    let dispatcher = Dispatcher.shared
    let store = ResultStore.instantiate()
    let newest = DustBuster()
    let action = CounterAction()
    let requests = (0..<threads).map { _ in Log<Task<Int, Never>>() }

    await inParallel(isCleaned ? threads + 1 : threads) { thread in
      if thread == threads {
        for _ in 0..<stress(70_000) { newest.clean() }
        return
      }
      let begun = Newest()
      for round in 1...(stress(70_000) / threads) {
        let number = round * threads + thread
        let request = withDispatcher(dispatcher) {
          Task(replacing: newest) {
            begun.raise(to: number)
            action.invokeUnlessCancelled(.set(number))
            return number
          }
        }
        requests[thread].append(request)
        // Now and then, the next request comes just when this one has its result.
        if round.isMultiple(of: 2) { while begun.number < number { sched_yield() } }
      }
    }

    var survivors: [Int] = []
    for request in requests.flatMap(\.entries) {
      let number = await request.value
      if !request.isCancelled { survivors.append(number) }
    }
    let results = store.results.entries
    if !isCleaned { #expect(survivors.contains { $0 == results.last }) }
    for thread in 0..<threads {
      let own = results.filter { $0 % threads == thread }
      #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func ofTasksThatAreStartedAtOnceOneIsLeft() async {
    let newest = DustBuster()
    let tasks = Log<Task<Void, Never>>()

    await inParallel(8) { _ in
      for _ in 0..<stress(2_500) {
        tasks.append(Task(replacing: newest) { await untilCancelled() })
      }
    }
    while tasks.entries.count(where: { !$0.isCancelled }) > 1 { await Task.yield() }

    #expect(tasks.entries.count { !$0.isCancelled } == 1)
    newest.clean()
    for task in tasks.entries { await task.value }
  }
}

/// Logs the numbers in the order of their reduces.
private final class ResultStore: Storable {
  let results = Log<Int>()

  func reduce(with state: Dispatcher.Counter) {
    results.append(state.number)
  }
}

private final class Newest: Sendable {
  private let atomic = Atomic(0)

  var number: Int { atomic.load(ordering: .relaxed) }

  func raise(to number: Int) { atomic.max(number, ordering: .relaxed) }
}

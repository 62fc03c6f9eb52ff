import Dispatch
import FluxCapacitor
import FluxCapacitorPersistence
import Foundation

/// Returns the rows for a server that keeps each session in a file.
///
/// The floor of the flushes is a pass for each answer. The floor of a session is a dispatcher with the store.
func serverRows() -> [Row] {
  [
    Row(
      "passes for an answer, 20 callers that flush",
      unit: "passes",
      atMost: 0.2,
      floor: { [1] },
      ours: { [passesPerAnswer(callers: 20)] }
    ),
    Row(
      "passes for an answer, 100 callers that flush",
      unit: "passes",
      atMost: 0.05,
      floor: { [1] },
      ours: { [passesPerAnswer(callers: 100)] }
    ),
    Row(
      "a session is opened, used and closed",
      atMost: 200_000,
      floor: {
        [
          nanoseconds(1_000) { _ in
            let dispatcher = Dispatcher()
            let store = VoteStore.instantiate(on: dispatcher)
            dispatcher.dispatch(Dispatcher.Votes.add)
            withExtendedLifetime(store) {}
          }
        ]
      },
      ours: {
        let sessions = Sessions<Int, VoteStore>(idle: .zero) { _, dispatcher in
          VoteStore.instantiate(on: dispatcher)
        }
        return [
          nanoseconds(1_000) { id in
            try await sessions.with(id) { _ in Dispatcher.shared.dispatch(Dispatcher.Votes.add) }
          }
        ]
      }
    ),
    Row(
      "set under a dispatcher, one observer of another one",
      atMost: .ratio(20),
      floor: setting(withObserverIn: nil, under: nil),
      ours: setting(withObserverIn: Dispatcher(), under: Dispatcher())
    ),
    Row(bytes: "a session with a kept store", atMost: 12_000, floor: .floorSession, ours: .session),
    Row(
      "descriptors of 1,000 sessions with kept stores",
      unit: "files",
      atMost: 10,
      floor: { [1] },
      ours: {
        let before = descriptors()
        let server = Server()
        for id in 0..<1_000 { server.vote(on: id) }
        let count = descriptors() - before
        withExtendedLifetime(server) {}
        return [Double(count)]
      }
    ),
  ]
}

/// Returns the number of saves for each answer of callers that dispatch and flush.
private func passesPerAnswer(callers: Int) -> Double {
  let server = Server()
  return waiting {
    let dispatcher = Dispatcher()
    let store = try server.keeper.open(VoteStore.self, key: "votes", on: dispatcher)
    let passes = Variable(0)
    let saved = server.keeper.saved(VoteStore.self, key: "votes")
    let dust = saved.observe(ignoreFirst: true) { _ in passes.value += 1 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<callers {
        group.addTask {
          for _ in 0..<20 {
            dispatcher.dispatch(Dispatcher.Votes.add)
            try await server.keeper.flush()
          }
        }
      }
      try await group.waitForAll()
    }
    dust.clean()
    withExtendedLifetime(store) {}
    return Double(passes.value) / Double(callers * 20)
  }
}

/// Sets a variable under a dispatcher, beside an observer that was handed over in another one.
private func setting(withObserverIn first: Dispatcher?, under second: Dispatcher?) -> Workload {
  func run(in dispatcher: Dispatcher?, _ body: () -> Void) {
    if let dispatcher { withDispatcher(dispatcher, operation: body) } else { body() }
  }
  let n = 100_000
  return Workload(n) {
    let variable = Variable(0)
    run(in: first) { _ = variable.observe { blackHole($0) } }
    return { run(in: second) { for value in 0..<n { variable.value = value } } }
  }
}

/// Returns the mean time of an asynchronous operation.
private func nanoseconds(
  _ count: Int,
  _ body: @escaping @Sendable (_ number: Int) async throws -> Void
) -> Double {
  waiting {
    let clock = ContinuousClock()
    let begin = clock.now
    for number in 0..<count { try await body(number) }
    return (clock.now - begin) / .nanoseconds(count)
  }
}

private func waiting<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) -> Result {
  let end = DispatchSemaphore(value: 0)
  // The semaphore orders both accesses.
  nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
  Task.detached {
    do { result = .success(try await body()) } catch { result = .failure(error) }
    end.signal()
  }
  end.wait()
  switch result {
  case .success(let result): return result
  case .failure(let error): fatalError("\(error)")
  case nil: fatalError("The task has no result.")
  }
}

private func descriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

/// Sessions that stay open, with their stores in a folder.
final class Server: Sendable {
  let keeper: Keeper
  private let folder: URL
  private let sessions: Sessions<Int, VoteStore>

  init() {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("FluxCapacitorBenchmarks-\(UUID().uuidString)")
    do {
      let keeper = try Keeper(directory: folder)
      sessions = Sessions(idle: .seconds(3_600)) { id, dispatcher in
        try keeper.open(VoteStore.self, key: "\(id)", on: dispatcher)
      }
      self.keeper = keeper
      self.folder = folder
    } catch {
      fatalError("\(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func vote(on id: Int) {
    waiting { [sessions] in
      try await sessions.with(id) { _ in Dispatcher.shared.dispatch(Dispatcher.Votes.add) }
    }
  }
}

extension Dispatcher {
  enum Votes: DispatchState {
    typealias RelatedStoreType = VoteStore

    case add
  }
}

final class VoteStore: Persistable {
  static let archive = Archive(Int.self, named: "votes", version: 1)

  var saved: Int { _count.value }
  private let _count = Variable(0)

  func reduce(with state: Dispatcher.Votes) {
    switch state {
    case .add: _count.value += 1
    }
  }

  func restore(_ saved: Int) { _count.value = saved }
}

import FluxCapacitor
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation
import Testing

/// B13: SIGKILL hits a process at a random moment while three threads dispatch. Afterward, the file holds one whole
/// state, which is no older than the last `flush` that returned.
///
/// The gate kills 50 processes, and 500 if THOROUGH is set.
@Suite(.timeLimit(.minutes(20)))
struct KillTests {
  private static let kills = isThorough ? 500 : 50

  @Test func stateSurvivesSIGKILL() async throws {
    let folder = try TemporaryFolder()
    var total = 0
    for _ in 0..<Self.kills {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
        try await dispatchUntilKilled(in: URL(fileURLWithPath: path))
      }

      let keeper = try Keeper(directory: folder.file("state"), dispatcher: Dispatcher())
      let saved = try keeper.open(TallyStore.self).saved
      try await keeper.close()
      let flushed = try? Int(folder.text(of: "flushed"))
      #expect(saved.total == saved.parts.reduce(0, +))
      #expect(saved.total >= flushed ?? 0)
      #expect(saved.total >= total)
      total = saved.total
    }
    #expect(total > 0)
  }
}

/// Dispatches states on three threads, and flushes in a loop, until this process kills itself at a random moment.
private func dispatchUntilKilled(in folder: URL) async throws {
  let keeper = try Keeper(directory: folder.appendingPathComponent("state"), maximumDelay: .zero)
  let store = try keeper.open(TallyStore.self)
  let flushed = open(folder.appendingPathComponent("flushed").path, O_WRONLY | O_CREAT, 0o600)
  // On a busy machine, the time alone might end before any flush.
  let hasFlushed = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    if Bool.random() { hasFlushed.wait() }
    let end = ContinuousClock.now + .microseconds(.random(in: 0..<30_000))
    while ContinuousClock.now < end {}
    kill(getpid(), SIGKILL)
  }
  for part in 0..<3 {
    Thread.detachNewThread { while true { Dispatcher.shared.dispatch(Tally.add(part)) } }
  }
  while true {
    let total = Dispatcher.shared.read { store.total.value }
    try await keeper.flush()
    // The system finishes this write even if the process ends meanwhile.
    let text = String(total)
    pwrite(flushed, text, text.utf8.count, 0)
    hasFlushed.signal()
  }
}

private enum Tally: DispatchState {
  typealias RelatedStoreType = TallyStore

  case add(Int)
}

/// Counts the states of three threads, and their total.
private final class TallyStore: Persistable {
  struct Saved: Codable {
    var parts: [Int]
    var total: Int
  }

  static let archive = Archive(Saved.self, named: "tally", version: 1)

  let total = Variable(0)
  private let parts = Variable([0, 0, 0])

  var saved: Saved { Saved(parts: parts.value, total: total.value) }

  func restore(_ saved: Saved) {
    parts.value = saved.parts
    total.value = saved.total
  }

  func reduce(with state: Tally) {
    switch state {
    case .add(let part):
      parts.value[part] += 1
      total.value += 1
    }
  }
}

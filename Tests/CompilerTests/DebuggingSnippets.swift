import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

// The examples of `SeeingAndRewindingTheFlow.md` and of doc comments. The tests run all examples.
@Suite(.isolatedDispatcher)
struct DebuggingSnippets {
  struct Token: Secret {
    let text: String
  }

  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")

  @Test func interceptorReceivesEachDispatchWithItsChanges() {
    let log = Variable<[String]>([])
    let print = { @Sendable (line: String) in log.value.append(line) }
    let store = CounterStore.instantiate()
    let dust = Dispatcher.shared.intercept { event in
      print("\(event.sequenceNumber): \(event.state)")
      for change in event.changes {
        print("  \(change.name): \(change.oldValue) → \(change.newValue)")
      }
    }
    CounterAction().increment()
    dust.clean()

    #expect(store.count.value == 1)
    #expect(
      log.value.joined(separator: "\n") == """
        1: add(1)
          count: 0 → 1
        """
    )
  }

  @Test func dispatchLoggersAcceptStandardErrorAsTheirOutput() {
    do {
      let logger = DispatchLogger(to: FileHandle.standardError)
      CounterAction().increment()
      withExtendedLifetime(logger) {}
    }
    let logger = DispatchLogger(format: .textWithChanges, to: FileHandle.standardError)
    CounterAction().increment()
    withExtendedLifetime(logger) {}
  }

  @Test func timeCircuitsUndoAndRedoADispatch() {
    let store = CounterStore.instantiate()
    let circuits = TimeCircuits()
    CounterAction().increment()
    circuits.undo()
    print(store.count.value)  // 0
    circuits.redo()
    print(store.count.value)  // 1
    #expect(store.count.value == 1)
  }

  @Test func replayOfARecordedFlowRestoresTheCount() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      let circuits = TimeCircuits()
      CounterAction().increment()
      try RecordedFlow(circuits.events).write(to: file)
    }
    try withDispatcher(Dispatcher()) {
      let store = CounterStore.instantiate()
      let flow = try RecordedFlow(contentsOf: file, types: [Dispatcher.Counter.self])
      flow.replay()
      #expect(store.count.value == 1)
    }
  }

  @Test func flowExplorerWritesItsPageToAFile() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let circuits = TimeCircuits()
    CounterAction().increment()
    try FlowExplorer(circuits).write(to: file)
  }

  @Test func liveExplorerProvidesTheURLOfItsPage() throws {
    let circuits = TimeCircuits()
    let explorer = try LiveExplorer(circuits)
    print(explorer.url)
  }
}

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

  @Test func dispatchLoggerWritesALineForEachChangedPart() {
    let store = BoardStore.instantiate()
    let lines = Variable<[String]>([])
    let logger = DispatchLogger(format: .textWithChanges) { lines.value.append($0) }

    Invoker<Dispatcher.Board>().invoke(.rename("milk", "Oat milk", by: "Emmett"))

    let changes = lines.value[0].split(separator: "\n").dropFirst()
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(
      changes.joined(separator: "\n") == """
        BoardStore.cards["milk"].title: "Milk" → "Oat milk"
        BoardStore.owner: nil → "Emmett"
        """
    )
    withExtendedLifetime((store, logger)) {}
  }

  @Test func dispatchLoggerWritesToALoggingLibrary() {
    typealias Logger = SwiftLog.Logger
    do {
      let log = Logger(label: "flow")
      let logger = DispatchLogger { log.debug("\($0)") }
      CounterAction().increment()
      withExtendedLifetime(logger) {}
      #expect(log.lines.value.count == 1)
      #expect(log.lines.value[0].hasPrefix("1 Counter.add(1) → no store, "))
    }
    let log = os.Logger(subsystem: "com.example.app", category: "flow")
    let logger = DispatchLogger { log.debug("\($0, privacy: .public)") }
    CounterAction().increment()
    withExtendedLifetime(logger) {}
    #expect(log.lines.value.count == 1)
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

/// The part of swift-log that the article uses.
private enum SwiftLog {
  struct Logger: Sendable {
    let lines = Variable<[String]>([])

    init(label: String) {}

    func debug(_ line: String) { lines.value.append(line) }
  }
}

/// The part of Apple's unified logging that the article uses.
private enum os {
  struct Logger: Sendable {
    let lines = Variable<[String]>([])

    init(subsystem: String, category: String) {}

    func debug(_ message: Message) { lines.value.append(message.text) }
  }

  struct Message: ExpressibleByStringInterpolation {
    enum Privacy { case `public` }

    struct StringInterpolation: StringInterpolationProtocol {
      var text = ""

      init(literalCapacity: Int, interpolationCount: Int) {}

      mutating func appendLiteral(_ literal: String) { text += literal }
      mutating func appendInterpolation(_ text: String, privacy: Privacy) { self.text += text }
    }

    let text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
  }
}

extension Dispatcher {
  fileprivate enum Board: DispatchState {
    typealias RelatedStoreType = BoardStore

    case rename(String, String, by: String)
  }
}

private final class BoardStore: Storable {
  struct Card: Identifiable, Equatable {
    let id: String
    var title: String
  }

  private let cards = VariableTable([Card(id: "milk", title: "Milk")])
  private let owner = Variable<String?>(nil)

  func reduce(with state: Dispatcher.Board) {
    switch state {
    case .rename(let id, let title, let owner):
      cards[id: id]?.title = title
      self.owner.value = owner
    }
  }
}

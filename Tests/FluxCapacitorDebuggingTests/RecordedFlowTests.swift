import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct RecordedFlowTests {
  @Test func aReplayComesToTheSameVariables() throws {
    let store = ListStore.instantiate()
    let circuits = TimeCircuits()
    for number in 0..<1_000 {
      ListAction().invoke(number % 3 == 2 ? .removeFirst : .add("\(number)"))
    }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    try RecordedFlow(circuits.events).write(to: file)

    let other = Dispatcher()
    let copy = withDispatcher(other) { ListStore.instantiate() }
    let flow = try RecordedFlow(contentsOf: file, types: [List.self])
    flow.replay(on: other)

    #expect(flow.failure == nil)
    #expect(copy.names.value == store.names.value)
    #expect(copy.names.value.count == 334)
  }

  @Test func aDamagedLineIsNamedAndThoseBeforeItStay() throws {
    let good = try RecordedFlow(events(3)).data()
    let cut = RecordedFlow(data: good.dropLast(10), types: [List.self])
    let bad = RecordedFlow(data: good + Data("{\"type\":1}\n".utf8), types: [List.self])

    #expect(cut.states.count == 2)
    #expect(cut.failure?.line == 3)
    #expect(cut.failure?.description.hasPrefix("Line 3: It is damaged: ") == true)
    #expect(bad.states.count == 3)
    #expect(bad.failure?.line == 4)
  }

  @Test func anUnknownTypeIsNamed() throws {
    let flow = RecordedFlow(data: try RecordedFlow(events(1)).data(), types: [])

    #expect(flow.states.isEmpty)
    #expect(
      flow.failure?.description == """
        Line 1: FluxCapacitorDebuggingTests.List is not among the types that were named. Name it too.
        """
    )
  }

  @Test func aStateThatIsNotCodableIsNamed() throws {
    enum Ping: DispatchState {
      typealias RelatedStoreType = PingStore
      typealias RelatedActionType = PingAction

      case ping
    }
    struct PingAction: Actionable {
      typealias DispatchStateType = Ping
    }
    final class PingStore: Storable {
      func reduce(with _: Ping) {}
    }
    let circuits = TimeCircuits()
    ListAction().invoke(.removeFirst)
    PingAction().invoke(.ping)

    let failure = #expect(throws: RecordedFlow.Failure.self) {
      try RecordedFlow(circuits.events)
    }

    #expect(failure?.line == 2)
    #expect(
      failure?.description.contains("is not Codable. Let it be, or leave its states out.") == true
    )
  }

  private func events(_ count: Int) -> [DispatchEvent] {
    let circuits = TimeCircuits()
    for number in 0..<count { ListAction().invoke(.add("\(number)")) }
    return circuits.events
  }
}

private enum List: DispatchState, Codable {
  typealias RelatedStoreType = ListStore
  typealias RelatedActionType = ListAction

  case add(String)
  case removeFirst
}

private struct ListAction: Actionable {
  typealias DispatchStateType = List
}

private final class ListStore: Storable {
  let names: Constant<[String]>
  private let _names = Variable<[String]>([])

  init() {
    names = Constant(_names)
  }

  func reduce(with state: List) {
    switch state {
    case .add(let name): _names.value.append(name)
    case .removeFirst: if !_names.value.isEmpty { _names.value.removeFirst() }
    }
  }
}

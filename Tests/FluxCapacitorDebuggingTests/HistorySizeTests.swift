import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of a history with a limit of ten megabytes, to which dispatches add values of one megabyte.
///
/// Each value counts twice, as the new value of one dispatch and as the old value of the next dispatch.
@Suite(.isolatedDispatcher)
struct HistorySizeTests {
  private static let text = String(repeating: "x", count: 1_000_000)

  @Test(arguments: [
    Fill("a text") { text + "y" },
    Fill("a part of a text") { (text + "y").prefix(10) },
    Fill("an address") { URL(string: "file:///" + text) },
    Fill("data") { Data(count: 1_000_000) },
    Fill("bytes") { [UInt8](repeating: 7, count: 1_000_000) },
    Fill("numbers") { [Double](repeating: 7, count: 125_000) },
    Fill("the last of many texts") { [String](repeating: "", count: 100) + [text] },
    Fill("many short texts") { [String](repeating: "12345678", count: 60_000) },
    Fill("texts with labels") {
      [String](repeating: text, count: 2)[1...].map { (label: 1, text: $0) }
    },
    Fill("many levels") {
      let data = [Data](repeating: Data(count: 256), count: 16)
      return [[[Data]]](repeating: [[Data]](repeating: data, count: 16), count: 16)
    },
    Fill("a dictionary") {
      Dictionary(
        uniqueKeysWithValues: (0..<1_000).map { ($0, String(repeating: "x", count: 1_000)) }
      )
    },
    Fill("structs") { [Pair](repeating: Pair(first: 1, second: 2), count: 60_000) },
  ])
  private func timeCircuitsForgetOldDispatchesWhenValuesExceedTheByteLimit(state: Fill) {
    let store = FillStore.instantiate()
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    for _ in 0..<20 { Invoker<Fill>().invoke(state) }

    #expect((3...6).contains(circuits.events.count))
    withExtendedLifetime(store) {}
  }

  /// The elements share their memory, so their sum exceeds all memory.
  @Test func timeCircuitsEstimateTheSizeOfNestedCollectionsWithCopies() {
    struct Node { var children: [Node] }
    var node = Node(children: [])
    for _ in 0..<12 { node = Node(children: Array(repeating: node, count: 100)) }
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    Invoker<Fill>().invoke(Fill("nodes") { [node] in node })

    #expect(circuits.events.count == 1)
  }

  @Test func timeCircuitsEstimateTheSizeOfAMirrorWithCountlessChildren() {
    struct Countless: CustomReflectable {
      var customMirror: Mirror {
        let texts = repeatElement(HistorySizeTests.text, count: .max)
        return Mirror(self, unlabeledChildren: texts, displayStyle: .collection)
      }
    }
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    Invoker<Fill>().invoke(Fill("countless") { Countless() })

    #expect(circuits.events.count == 1)
  }

  @Test func timeCircuitsDoNotReadAnObjectThatAValueDoesNotKeep() {
    final class Guest: Sendable {}
    struct Visit: Sendable {
      unowned let guest: Guest
    }
    let store = FillStore.instantiate()
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    for _ in 1...2 { Invoker<Fill>().invoke(Fill("a visit") { Visit(guest: Guest()) }) }

    #expect(circuits.events.count == 2)
    withExtendedLifetime(store) {}
  }

  /// The mirror or the description might need a lock of the user's that another thread holds while it dispatches.
  @Test func timeCircuitsRunNoCodeOfAValue() {
    struct Watched: CustomReflectable, CustomStringConvertible {
      static let calls = Log<String>()
      let text = HistorySizeTests.text

      var description: String {
        Watched.calls.append("description")
        return ""
      }

      var customMirror: Mirror {
        Watched.calls.append("mirror")
        return Mirror(self, children: [])
      }
    }
    let store = FillStore.instantiate()
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    for _ in 1...20 { Invoker<Fill>().invoke(Fill("a mirror") { [Watched?.some(Watched())] }) }

    #expect(Watched.calls.entries.isEmpty)
    #expect((3...6).contains(circuits.events.count))
    withExtendedLifetime(store) {}
  }

  @Test func timeCircuitsEstimateTheSizeOfAMirrorThatContainsItself() {
    struct Endless: CustomReflectable {
      let text = HistorySizeTests.text
      var customMirror: Mirror {
        Mirror(self, unlabeledChildren: [self], displayStyle: .collection)
      }
    }
    let circuits = TimeCircuits(limits: .init(bytes: 10_000_000))

    Invoker<Fill>().invoke(Fill("endless") { Endless() })

    #expect(circuits.events.count == 1)
  }
}

private struct Pair {
  let first: Int
  let second: Int
}

private struct Fill: DispatchState, CustomTestStringConvertible {
  typealias RelatedStoreType = FillStore

  let testDescription: String
  let value: @Sendable () -> any Sendable

  init(_ testDescription: String, value: @escaping @Sendable () -> any Sendable) {
    self.testDescription = testDescription
    self.value = value
  }
}

private final class FillStore: Storable {
  private let value = Variable<any Sendable>(0)

  func reduce(with state: Fill) {
    value.value = state.value()
  }
}

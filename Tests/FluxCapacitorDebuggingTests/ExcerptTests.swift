import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the excerpts that a logger writes for long values. An excerpt shows the changed part.
@Suite(.isolatedDispatcher)
struct ExcerptTests {
  private let store = LongStore.instantiate()
  private let circuits = TimeCircuits()

  private func change(_ change: @escaping @Sendable (LongStore) -> Void) -> String {
    let text = Text()
    let logger = DispatchLogger(format: .textWithChanges, to: text)
    LongAction().invoke(Long(change: change))
    withExtendedLifetime(logger) {}
    return text.lines[1].trimmingCharacters(in: .whitespaces)
  }

  @Test func dispatchLoggerWritesAListOf200NumbersInFull() {
    store.numbers.value = Array(1...200)

    let all = (1...200).map { "\($0)" }.joined(separator: ", ")
    #expect(
      change { $0.numbers.value.append(201) } == "LongStore.numbers: [\(all)] → [\(all), 201]"
    )
  }

  @Test func dispatchLoggerShowsTheEndOfALongListWhenAnElementIsAppended() {
    store.numbers.value = Array(1...4_000)

    #expect(
      change { $0.numbers.value.append(4_001) } == """
        LongStore.numbers: [… 3997 more, 3998, 3999, 4000] → [… 3997 more, 3998, 3999, 4000, 4001]
        """
    )
  }

  @Test func dispatchLoggerShowsAChangedElementInTheMiddleOfALongList() {
    store.labels.value = (1...1_000).map { Label(text: "label \($0)") }

    let line = change { $0.labels.value[500].isOn = true }

    let before = #"[… 497 more, Label(text: "label 498", isOn: false), "#
    #expect(line.components(separatedBy: before).count == 3)
    #expect(line.contains(#"Label(text: "label 501", isOn: false), Label"#))
    #expect(line.contains(#"Label(text: "label 501", isOn: true), Label"#))
    #expect(line.utf8.count < 2_500)
  }

  @Test func dispatchLoggerShowsAChangedEntryOfALargeDictionary() {
    store.entries.value = Dictionary(uniqueKeysWithValues: (1_000..<2_000).map { ($0, 0) })

    let line = change { $0.entries.value[1_985] = 1 }

    #expect(
      line.contains("1984: 0, 1985: 0, 1986: 0") && line.contains("1984: 0, 1985: 1, 1986: 0")
    )
    #expect(line.utf8.count < 2_500)
  }

  @Test func dispatchLoggerShowsAWordInsertedIntoALongText() {
    store.text.value = String(repeating: "“…” ", count: 10_000)

    let line = change { store in
      let text = store.text.value
      store.text.value = text.prefix(20_000) + "1985" + text.dropFirst(20_000)
    }

    #expect(line.contains("“…” 1985“…” ") && !line.contains("\u{FFFD}"))
    #expect(line.utf8.count < 2_500)
  }

  @Test func dispatchLoggerShowsTheBeginningOfALongListThatDidNotChange() {
    store.numbers.value = Array(1...4_000)

    #expect(change { $0.numbers.value = Array(1...4_000) }.contains(": [1, 2, 3, "))
  }

  @Test func flowExplorerPageLimitsTheSizeOfEachDispatchWhenAListGrows() {
    for number in 0..<1_000 {
      LongAction().invoke(Long { $0.numbers.value.append(number) })
    }

    #expect(FlowExplorer(circuits).html.utf8.count < 3_000_000)
  }
}

private struct Label: Sendable {
  let text: String
  var isOn = false
}

private struct Long: DispatchState {
  typealias RelatedStoreType = LongStore
  typealias RelatedActionType = LongAction

  let change: @Sendable (LongStore) -> Void
}

private struct LongAction: Actionable {
  typealias DispatchStateType = Long
}

private final class LongStore: Storable {
  let numbers = Variable<[Int]>([])
  let labels = Variable<[Label]>([])
  let entries = Variable<[Int: Int]>([:])
  let text = Variable("")

  func reduce(with state: Long) {
    state.change(self)
  }
}

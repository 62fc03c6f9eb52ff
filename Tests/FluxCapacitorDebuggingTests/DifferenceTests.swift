import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

/// Tests of the lines that a logger writes for changes of long and nested values.
@Suite(.isolatedDispatcher)
struct DifferenceTests {
  private let store = LongStore.instantiate()
  private let circuits = TimeCircuits()

  private func changes(_ change: @escaping @Sendable (LongStore) -> Void) -> [String] {
    let text = Text()
    let logger = DispatchLogger(format: .textWithChanges, to: text)
    Invoker<Long>().invoke(Long(change: change))
    withExtendedLifetime(logger) {}
    return text.lines.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func dispatchLoggerShowsTheElementInsertedIntoALongList() {
    store.numbers.value = Array(1...4_000)

    #expect(
      changes { $0.numbers.value.insert(0, at: 2_000) } == [
        "LongStore.numbers: 4000 → 4001 elements",
        "LongStore.numbers[2000]: nil → 0",
      ]
    )
  }

  @Test func dispatchLoggerShowsTheElementsThatDifferBetweenTwoShortLists() {
    store.labels.value = (1...9).map { Label(text: "label \($0)") }

    #expect(
      changes { store in
        store.labels.value.remove(at: 1)
        store.labels.value[5].isOn = true
        store.labels.value.append(Label(text: "label 10"))
        store.labels.value.append(Label(text: "label 11"))
      } == [
        "LongStore.labels: 9 → 10 elements",
        #"LongStore.labels[1]: Label(text: "label 2", isOn: false) → nil"#,
        "LongStore.labels[5].isOn: false → true",
        #"LongStore.labels[8]: nil → Label(text: "label 10", isOn: false)"#,
        #"LongStore.labels[9]: nil → Label(text: "label 11", isOn: false)"#,
      ]
    )
  }

  @Test func dispatchLoggerShowsTheChangedEntriesOfALargeDictionary() {
    store.entries.value = Dictionary(uniqueKeysWithValues: (1_000..<2_000).map { ($0, 0) })

    #expect(
      changes { store in
        store.entries.value[1_985] = 1
        store.entries.value[1_955] = nil
        store.entries.value[2_015] = 2
      } == [
        "LongStore.entries[1955]: 0 → nil",
        "LongStore.entries[1985]: 0 → 1",
        "LongStore.entries[2015]: nil → 2",
      ]
    )
  }

  @Test func dispatchLoggerShowsTheChangedElementsOfASet() {
    store.tags.value = ["new", "old"]

    #expect(
      changes { $0.tags.value = ["new", "urgent", "late"] } == [
        "LongStore.tags: 2 → 3 elements",
        #"LongStore.tags["late"]: nil → "late""#,
        #"LongStore.tags["old"]: "old" → nil"#,
        #"LongStore.tags["urgent"]: nil → "urgent""#,
      ]
    )
  }

  @Test func dispatchLoggerShowsTheChangedPartsOfNestedValues() {
    store.page.value = .loaded(Page(labels: ["a": [Label(text: "a")]], range: (1, last: 2)))

    #expect(
      changes { store in
        store.page.value = .loaded(
          Page(labels: ["a": [Label(text: "a", isOn: true)]], range: (1, last: 3))
        )
      } == [
        #"LongStore.page.loaded.labels["a"][0].isOn: false → true"#,
        "LongStore.page.loaded.range.last: 2 → 3",
      ]
    )
    #expect(
      changes { $0.page.value = .failed("404") } == [
        """
        LongStore.page: .loaded(Page(labels: ["a": [Label(text: "a", isOn: true)]], \
        range: (1, last: 3))) → .failed("404")
        """
      ]
    )
  }

  @Test func dispatchLoggerShowsAWordInsertedIntoALongText() {
    store.text.value = String(repeating: "“…” ", count: 10_000)

    let line = changes { store in
      let text = store.text.value
      store.text.value = text.prefix(20_000) + "1985" + text.dropFirst(20_000)
    }[0]

    #expect(line.contains("“…” 1985“…” ") && !line.contains("\u{FFFD}"))
    #expect(line.utf8.count < 2_500)
  }

  @Test func dispatchLoggerShowsTheFirstBytesThatDiffer() {
    store.data.value = Data(0..<200)

    #expect(
      changes { $0.data.value[100] = 255 } == [
        "LongStore.data: 200 bytes: … at 100: 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 71 72 73 … "
          + "→ 200 bytes: … at 100: ff 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 71 72 73 …"
      ]
    )
  }

  @Test func dispatchLoggerShowsTheBeginningOfALongListThatDidNotChange() {
    store.numbers.value = Array(1...4_000)

    let line = changes { $0.numbers.value = Array(1...4_000) }[0]

    #expect(line.hasPrefix("LongStore.numbers: [1, 2, 3, "))
    #expect(line.hasSuffix(", 3800 more …], which is equal"))
  }

  @Test func loggerCountsThePartsThatExceedTheBudget() {
    store.labels.value = (1...20_000).map { Label(text: "a long label with the number \($0)") }

    let lines = changes { store in
      store.labels.value = (1...20_000).map {
        Label(text: "a long label with the number \($0 + 1)")
      }
    }

    #expect(lines.count == 102)
    #expect(
      lines.suffix(2) == [
        "LongStore.labels: 1567 more changes", "LongStore.labels: 18333 parts are not compared",
      ]
    )
  }

  @Test func flowExplorerPageLimitsTheSizeOfEachDispatchWhenAListGrows() {
    for number in 0..<1_000 {
      Invoker<Long>().invoke(Long { $0.numbers.value.append(number) })
    }

    #expect(FlowExplorer(circuits).html.utf8.count < 3_000_000)
  }
}

private struct Label: Sendable {
  let text: String
  var isOn = false
}

private struct Page: Sendable {
  let labels: [String: [Label]]
  let range: (Int, last: Int)
}

private enum PageState: Sendable {
  case loading, loaded(Page), failed(String)
}

private struct Long: DispatchState {
  typealias RelatedStoreType = LongStore

  let change: @Sendable (LongStore) -> Void
}

private final class LongStore: Storable {
  let numbers = Variable<[Int]>([])
  let labels = Variable<[Label]>([])
  let entries = Variable<[Int: Int]>([:])
  let text = Variable("")
  let tags = Variable<Set<String>>([])
  let data = Variable(Data())
  let page = Variable(PageState.loading)

  func reduce(with state: Long) {
    state.change(self)
  }
}

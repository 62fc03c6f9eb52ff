import AsyncAlgorithms
import FluxCapacitor
import FluxCapacitorTesting
import Testing

/// Tests of swift-async-algorithms with the sequences of constants.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SequenceTests {
  @Test func debounceSendsOnlyTheLastOfQuickChanges() async {
    let text = Variable("")
    let clock = ManualClock()
    var searches = text.values.debounce(for: .milliseconds(300), clock: clock).makeAsyncIterator()

    async let first = searches.next()
    await clock.sleeping()
    for prefix in ["f", "fl", "flux"] { text.value = prefix }
    await clock.advance(by: .milliseconds(300))
    await clock.advance(by: .milliseconds(300))

    #expect(await first == "flux")
  }

  @Test func mergeSendsTheChangesOfBothConstants() async {
    let (names, errors) = (Variable("Marty"), Variable("none"))
    var received: Set<String> = []
    for await text in merge(names.values, errors.values) {
      received.insert(text)
      if received.count == 2 {
        names.value = "Emmett"
        errors.value = "late"
      }
      if received.isSuperset(of: ["Emmett", "late"]) { break }
    }
  }

  @Test func combineLatestEndsWithTheLastValuesOfBothConstants() async {
    let (first, last) = (Variable("Marty"), Variable("McFly"))
    for await (first, last) in combineLatest(first.values, last.values) {
      if (first, last) == ("Emmett", "Brown") { break }
      change()
    }

    func change() {
      first.value = "Emmett"
      last.value = "Brown"
    }
  }
}

import BoardSample
import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SearchActionTests {
  private let store = SearchStore.instantiate()

  @Test func onlyTheLastOfSeveralQuickSearchesBegins() async {
    let clock = ManualClock()
    let action = SearchAction(clock: clock)

    await expectStates {
      Dispatcher.Search.show(cardsWith: "milk")
    } when: {
      for text in ["m", "mi", "milk"] {
        action.find(text)
        await clock.advance(by: .milliseconds(200))
      }
      await clock.advance(by: .milliseconds(100))
      await Dispatcher.shared.settled()
    }
  }

  @Test func emptySearchBeginsAtOnceAndSupersedesASearchThatPauses() async {
    let action = SearchAction(clock: ManualClock())

    await expectStates {
      Dispatcher.Search.show(cardsWith: "")
    } when: {
      action.find("milk")
      action.find("")
      await Dispatcher.shared.settled()
    }
  }
}

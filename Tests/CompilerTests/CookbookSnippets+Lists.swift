import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipes for pages and searches, and tests of these recipes.

struct TimelinePage: Equatable {
  let items: [String]
  let next: Int?
}

extension Dispatcher {
  enum Timeline: DispatchState {
    typealias RelatedStoreType = TimelineStore
    typealias RelatedActionType = TimelineAction

    case add(TimelinePage)
    case fail(String)
    case removeAll
  }
}

final class TimelineStore: Storable {
  let effects = Effects(.serial)
  var items: Constant<[String]> { _items.constant }
  var nextPage: Constant<Int?> { _nextPage.constant }
  var failures: Signal<String> { _failures.signal }
  private let _items = Variable<[String]>([])
  private let _nextPage = Variable<Int?>(1)
  private let _failures = Sink<String>()

  func reduce(with state: Dispatcher.Timeline) {
    switch state {
    case .add(let page):
      _items.value += page.items
      _nextPage.value = page.next
    case .fail(let reason):
      _failures.send(reason)
    case .removeAll:
      _items.value = []
      _nextPage.value = 1
    }
  }
}

struct TimelineAction: Actionable {
  typealias DispatchStateType = Dispatcher.Timeline

  let fetch: @Sendable (_ page: Int) async throws -> TimelinePage
  private var store: TimelineStore { .instantiate() }
  private var effects: Effects { store.effects }

  func load(_ page: Int) {
    effects.run { effect in
      guard page == store.nextPage.value else { return }
      do {
        invoke(.add(try await fetch(page)), as: effect)
      } catch {
        if !Task.isCancelled { invoke(.fail("\(error)"), as: effect) }
      }
    }
  }

  func reload() {
    effects.cancel()
    effects.run { effect in invoke(.removeAll, as: effect) }
    load(1)
  }
}

extension Dispatcher {
  enum CitySearch: DispatchState {
    typealias RelatedStoreType = CitySearchStore
    typealias RelatedActionType = CitySearchAction

    case show([String])
    case fail(String)
  }
}

final class CitySearchStore: Storable {
  let effects = Effects(.latest)
  var cities: Constant<[String]> { _cities.constant }
  var failure: Constant<String?> { _failure.constant }
  private let _cities = Variable<[String]>([])
  private let _failure = Variable<String?>(nil)

  func reduce(with state: Dispatcher.CitySearch) {
    switch state {
    case .show(let cities):
      _cities.value = cities
      _failure.value = nil
    case .fail(let reason):
      _failure.value = reason
    }
  }
}

struct CitySearchAction: Actionable {
  typealias DispatchStateType = Dispatcher.CitySearch

  let find: @Sendable (_ text: String) async throws -> [String]
  var clock: any Clock<Duration> = ContinuousClock()
  private var effects: Effects { CitySearchStore.instantiate().effects }

  func search(_ text: String) {
    let pause: Duration = text.isEmpty ? .zero : .milliseconds(300)
    effects.run(after: pause, clock: clock) { effect in
      do {
        invoke(.show(try await text.isEmpty ? [] : find(text)), as: effect)
      } catch {
        invoke(.fail("\(error)"), as: effect)
      }
    }
  }
}

extension CookbookSnippets {
  // MARK: - Pages

  /// Returns an action. The first request for page 2 waits at the gate, and then fails.
  private func timelineAction() -> TimelineAction {
    TimelineAction { [requests, gate] page in
      let isFirst = requests.modify { requests in
        requests.append("\(page)")
        return requests.count { $0 == "\(page)" } == 1
      }
      if page == 2, isFirst {
        await gate.pass()
        throw Failure()
      }
      return TimelinePage(items: ["Item \(page)"], next: page < 3 ? page + 1 : nil)
    }
  }

  @Test func timelineLoadsEachPageOnceUnlessARequestFails() async {
    let store = TimelineStore.instantiate()
    let action = timelineAction()
    gate.open()

    for page in [1, 1, 2, 2, 2, 3, 3] { action.load(page) }
    await Dispatcher.shared.settled()

    // The first request for page 2 failed, so the next call to `load` requested page 2 again.
    #expect(requests.value == ["1", "2", "2", "3"])
    #expect(store.items.value == ["Item 1", "Item 2", "Item 3"])
    #expect(store.nextPage.value == nil)
  }

  @Test func reloadClearsTheTimelineAfterTheCancelledRequestHasEnded() async {
    let store = TimelineStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = TimelineAction { [gate] page in
      if page == 2 { await gate.pass() }
      return TimelinePage(items: ["Item \(page)"], next: page + 1)
    }

    await expectStates {
      Dispatcher.Timeline.add(TimelinePage(items: ["Item 1"], next: 2))
      Dispatcher.Timeline.add(TimelinePage(items: ["Item 2"], next: 3))
      Dispatcher.Timeline.removeAll
      Dispatcher.Timeline.add(TimelinePage(items: ["Item 1"], next: 2))
    } when: {
      for page in [1, 2, 3] { action.load(page) }
      await gate.reached()
      action.reload()
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  @Test func cancelledPageRequestReportsNoFailure() async {
    let store = TimelineStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = timelineAction()

    await expectStates {
      Dispatcher.Timeline.add(TimelinePage(items: ["Item 1"], next: 2))
      Dispatcher.Timeline.removeAll
      Dispatcher.Timeline.add(TimelinePage(items: ["Item 1"], next: 2))
    } when: {
      for page in [1, 2] { action.load(page) }
      await gate.reached()
      action.reload()
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  // MARK: - Search

  @Test func searchActionSearchesOnlyTheLastTextOfQuickInputs() async {
    let store = CitySearchStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let action = CitySearchAction(
      find: { [requests] text in
        requests.value.append(text)
        return ["\(text)lin"]
      },
      clock: clock
    )

    await expectStates {
      Dispatcher.CitySearch.show(["Berlin"])
      Dispatcher.CitySearch.show([])
    } when: {
      for text in ["B", "Be", "Ber"] {
        action.search(text)
        await clock.advance(by: .milliseconds(200))
      }
      await clock.advance(by: .milliseconds(100))
      await Dispatcher.shared.settled()
      action.search("")
      await Dispatcher.shared.settled()
    }
    #expect(requests.value == ["Ber"])
  }

  @Test func supersededSearchReportsNeitherResultsNorErrors() async {
    let store = CitySearchStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let clock = ManualClock()
    let action = CitySearchAction(
      find: { text in
        if text == "old" { await gate.pass() }
        try Task.checkCancellation()
        throw Failure()
      },
      clock: clock
    )

    await expectStates {
      Dispatcher.CitySearch.fail("Failure()")
    } when: {
      action.search("old")
      await clock.advance(by: .milliseconds(300))
      await gate.reached()
      action.search("new")
      gate.open()
      await clock.advance(by: .milliseconds(300))
      await Dispatcher.shared.settled()
    }
  }
}

import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The cookbook's recipes for pages and searches, and tests of these recipes.

struct TimelineItem: Identifiable, Equatable {
  let id: Int
  let text: String
}

struct TimelinePage: Equatable {
  let items: [TimelineItem]
  let next: Int?
}

extension Dispatcher {
  enum Timeline: DispatchState {
    typealias RelatedStoreType = TimelineStore
    typealias RelatedActionType = TimelineAction

    case add(TimelinePage)
    case fail(String)
    case restart
  }
}

final class TimelineStore: Storable {
  let effects = Effects(.serial)
  var items: ConstantTable<TimelineItem> { _items.constant }
  var nextPage: Constant<Int?> { _nextPage.constant }
  var failure: Constant<String?> { _failure.constant }
  private let _items = VariableTable<TimelineItem>()
  private let _nextPage = Variable<Int?>(1)
  private let _failure = Variable<String?>(nil)

  func reduce(with state: Dispatcher.Timeline) {
    _failure.value = nil
    switch state {
    case .add(let page):
      // A page may repeat an item that has moved meanwhile.
      for item in page.items { _items[id: item.id] = item }
      _nextPage.value = page.next
    case .fail(let reason):
      _failure.value = reason
    case .restart:
      _items.replaceAll(with: [])
      _nextPage.value = 1
    }
  }
}

struct TimelineAction: Actionable {
  typealias DispatchStateType = Dispatcher.Timeline

  let fetch: @Sendable (_ page: Int) async throws -> TimelinePage
  private var store: TimelineStore { .instantiate() }

  func load(_ page: Int) async {
    await store.effects.perform { effect in
      guard page == store.nextPage.value else { return }
      do {
        invoke(.add(try await fetch(page)), as: effect)
      } catch {
        if !Task.isCancelled { invoke(.fail(String(explaining: error)), as: effect) }
      }
    }
  }

  func reload() async {
    store.effects.supersede()
    invoke(.restart)
    await load(1)
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
        invoke(.fail(String(explaining: error)), as: effect)
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
      return TimelinePage(items: [.init(id: page, text: "")], next: page < 3 ? page + 1 : nil)
    }
  }

  @Test func timelineLoadsEachPageOnceUnlessARequestFails() async {
    let store = TimelineStore.instantiate()
    let action = timelineAction()
    gate.open()

    await withDiscardingTaskGroup { group in
      for page in [1, 1] { group.addTask { await action.load(page) } }
    }
    for page in [2, 2, 2, 3, 3] { await action.load(page) }

    // The first request for page 2 failed, so the next call to `load` requested page 2 again.
    #expect(requests.value == ["1", "2", "2", "3"])
    #expect(store.items.ids.value == [1, 2, 3])
    #expect(store.nextPage.value == nil)
    #expect(store.failure.value == nil)
  }

  @Test func reloadDropsTheOlderRequestAndItsFailure() async {
    let store = TimelineStore.instantiate()
    let action = timelineAction()
    await action.load(1)

    async let older: Void = action.load(2)
    await gate.reached()
    await action.reload()
    gate.open()
    await older

    #expect(store.items.ids.value == [1])
    #expect(store.nextPage.value == 2)
    #expect(store.failure.value == nil)
  }

  @Test func cancelledPageRequestReportsNoFailure() async {
    let store = TimelineStore.instantiate()
    let action = timelineAction()
    await action.load(1)

    let load = Task { await action.load(2) }
    await gate.reached()
    load.cancel()
    gate.open()
    await load.value

    #expect(store.failure.value == nil)
    #expect(store.nextPage.value == 2)
  }

  @Test func failedPageIsExplainedUntilItIsLoaded() async {
    let store = TimelineStore.instantiate()
    let action = timelineAction()
    gate.open()
    await action.load(1)

    await action.load(2)
    #expect(store.failure.value == "That didn’t work. Please try again.")

    await action.load(2)
    #expect(store.items.ids.value == [1, 2])
    #expect(store.failure.value == nil)
  }

  @Test func itemThatTwoPagesContainIsShownOnce() async {
    let store = TimelineStore.instantiate()
    let action = TimelineAction { page in
      TimelinePage(
        items: [.init(id: 1, text: "\(page)"), .init(id: page, text: "")],
        next: page + 1
      )
    }

    await action.load(1)
    await action.load(2)

    #expect(store.items.ids.value == [1, 2])
    #expect(store.items[id: 1]?.text == "2")
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
      Dispatcher.CitySearch.fail("That didn’t work. Please try again.")
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

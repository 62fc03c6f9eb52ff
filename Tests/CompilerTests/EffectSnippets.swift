import FluxCapacitor
import FluxCapacitorTesting
import Testing

// Code of the documents on effects, with one example for each policy, and tests of these examples.

private enum Examples {
  final class SearchStore: Storable {
    var results: Constant<[String]> { _results.constant }
    let searches = Effects(.latest)
    private let _results = Variable<[String]>([])

    func reduce(with state: Dispatcher.Search) {
      switch state {
      case .found(let results): _results.value = results
      }
    }
  }

  struct SearchAction: Actionable {
    typealias DispatchStateType = Dispatcher.Search

    let find: @Sendable (_ text: String) async -> [String]
    var clock: any Clock<Duration> = ContinuousClock()

    func search(_ text: String) {
      SearchStore.instantiate().searches.run(after: .milliseconds(300), clock: clock) { effect in
        invoke(.found(await find(text)), as: effect)
      }
    }
  }

  struct FeedAction: Actionable {
    typealias DispatchStateType = Dispatcher.Feed

    let load: @Sendable () async -> [String]

    func refresh() async {
      await FeedStore.instantiate().refreshes.perform { effect in
        invoke(.loaded(await load()), as: effect)
      }
    }
  }

  struct DraftAction: Actionable {
    typealias DispatchStateType = Dispatcher.Draft

    let write: @Sendable (_ text: String) async throws -> Void

    func save(_ text: String) {
      DraftStore.instantiate().saves.run { effect in
        do {
          try await write(text)
          invoke(.saved(text), as: effect)
        } catch {
          invoke(.failed(text), as: effect)
        }
      }
    }
  }

  struct DocumentAction: Actionable {
    typealias DispatchStateType = Dispatcher.Document

    let write: @Sendable (_ text: String) async -> Void

    func save(_ text: String) {
      DocumentStore.instantiate().saves.run { effect in
        await write(text)
        invoke(.saved(text), as: effect)
      }
    }
  }

  struct ThumbnailAction: Actionable {
    typealias DispatchStateType = Dispatcher.Thumbnails

    let thumbnail: @Sendable (_ name: String) async -> [UInt8]

    func load(_ names: [String]) {
      for name in names {
        ThumbnailsStore.instantiate().loads.run { effect in
          invoke(.loaded(await thumbnail(name), name), as: effect)
        }
      }
    }
  }

  final class DetailsEffect: Sendable {
    private let dustBuster = DustBuster()

    init(details: @escaping @Sendable (_ page: String) async -> String) {
      let effects = Effects(.latest)
      let action = Invoker<Dispatcher.Page>()
      Dispatcher.shared.observe(Dispatcher.Page.self) { state in
        guard case .open(let page) = state else { return }
        effects.run { effect in action.invoke(.show(await details(page)), as: effect) }
      }
      .cleaned(by: dustBuster)
    }
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct EffectSnippets {
  private let gate = FluxCapacitorTesting.Gate()

  @Test func latestPolicyInvokesOnlyTheResultsOfTheNewestSearch() async {
    let clock = ManualClock()
    let store = Examples.SearchStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = Examples.SearchAction(find: { ["\($0)!"] }, clock: clock)
    await expectStates {
      Dispatcher.Search.found(["flux!"])
    } when: {
      for text in ["f", "fl", "flux"] {
        action.search(text)
        await clock.advance(by: .milliseconds(200))
      }
      await clock.advance(by: .milliseconds(100))
      await Dispatcher.shared.settled()
    }
  }

  // `Task.immediate` needs these systems.
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func firstPolicyLoadsTheFeedOnceForTwoOverlappingRefreshes() async {
    let store = FeedStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = Examples.FeedAction {
      await gate.pass()
      return ["news"]
    }
    await expectStates {
      Dispatcher.Feed.loaded(["news"])
    } when: {
      let first = Task { await action.refresh() }
      await gate.reached()
      // The task runs until it awaits the first refresh, before the gate opens.
      let second = Task.immediate { await action.refresh() }
      gate.open()
      await first.value
      await second.value
    }
  }

  @Test func serialPolicySavesDraftsInTheOrderOfTheCalls() async {
    let store = DraftStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = Examples.DraftAction { text in
      if text == "1" { await gate.pass() }
      if text == "2" { throw CancellationError() }
    }
    await expectStates {
      Dispatcher.Draft.saved("1")
      Dispatcher.Draft.failed("2")
      Dispatcher.Draft.saved("3")
    } when: {
      for text in ["1", "2", "3"] { action.save(text) }
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  @Test func newestWaitingPolicySavesTheFirstAndTheLastText() async {
    let store = DocumentStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = Examples.DocumentAction { text in if text == "1" { await gate.pass() } }
    await expectStates {
      Dispatcher.Document.saved("1")
      Dispatcher.Document.saved("3")
    } when: {
      for text in ["1", "2", "3"] { action.save(text) }
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  @Test func concurrentPolicyLoadsAtMostFourThumbnailsAtATime() async {
    let begun = Variable(0)
    let store = ThumbnailsStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = Examples.ThumbnailAction { name in
      begun.value += 1
      await gate.pass()
      return Array(name.utf8)
    }
    let loaded = DispatchRecorder()
    action.load((1...6).map { "\($0)" })
    await gate.reached(4)
    #expect(begun.value == 4)
    gate.open()
    await Dispatcher.shared.settled()

    #expect(begun.value == 6)
    #expect(loaded.states.count == 6)
  }

  @Test func latestPolicyShowsOnlyThePageThatWasOpenedLast() async {
    let effect = Examples.DetailsEffect { page in
      if page == "old" { await gate.pass() }
      return "What is on the \(page) page"
    }
    await expectStates {
      Dispatcher.Page.open("old")
      Dispatcher.Page.open("new")
      Dispatcher.Page.show("What is on the new page")
    } when: {
      PageAction().invoke(.open("old"))
      await gate.reached()
      PageAction().invoke(.open("new"))
      gate.open()
      await Dispatcher.shared.settled()
    }
    withExtendedLifetime(effect) {}
  }

  @Test func endOfAnObservationCancelsTheEffectsOfItsObserver() async {
    var effect: Examples.DetailsEffect? = Examples.DetailsEffect { page in
      await gate.pass()
      return Task.isCancelled ? "Cancelled" : page
    }
    await expectStates {
      Dispatcher.Page.open("old")
      Dispatcher.Page.show("Cancelled")
    } when: {
      PageAction().invoke(.open("old"))
      await gate.reached()
      withExtendedLifetime(effect) {}
      effect = nil
      gate.open()
      await Dispatcher.shared.settled()
    }
  }
}

// The states and empty stores of the example actions.

extension Dispatcher {
  fileprivate enum Search: DispatchState {
    typealias RelatedStoreType = Examples.SearchStore
    typealias RelatedActionType = Examples.SearchAction

    case found([String])
  }

  fileprivate enum Feed: DispatchState {
    typealias RelatedStoreType = FeedStore
    typealias RelatedActionType = Examples.FeedAction

    case loaded([String])
  }

  fileprivate enum Draft: DispatchState {
    typealias RelatedStoreType = DraftStore
    typealias RelatedActionType = Examples.DraftAction

    case saved(String)
    case failed(String)
  }

  fileprivate enum Document: DispatchState {
    typealias RelatedStoreType = DocumentStore
    typealias RelatedActionType = Examples.DocumentAction

    case saved(String)
  }

  fileprivate enum Thumbnails: DispatchState {
    typealias RelatedStoreType = ThumbnailsStore
    typealias RelatedActionType = Examples.ThumbnailAction

    case loaded([UInt8], String)
  }

  fileprivate enum Page: DispatchState {
    typealias RelatedStoreType = PageStore
    typealias RelatedActionType = PageAction

    case open(String)
    case show(String)
  }
}

private struct PageAction: Actionable {
  typealias DispatchStateType = Dispatcher.Page
}

private final class FeedStore: Storable {
  let refreshes = Effects(.first)

  func reduce(with _: Dispatcher.Feed) {}
}

private final class DraftStore: Storable {
  let saves = Effects(.serial)

  func reduce(with _: Dispatcher.Draft) {}
}

private final class DocumentStore: Storable {
  let saves = Effects(.newestWaiting)

  func reduce(with _: Dispatcher.Document) {}
}

private final class ThumbnailsStore: Storable {
  let loads = Effects(.concurrent(4))

  func reduce(with _: Dispatcher.Thumbnails) {}
}

private final class PageStore: Storable {
  func reduce(with _: Dispatcher.Page) {}
}

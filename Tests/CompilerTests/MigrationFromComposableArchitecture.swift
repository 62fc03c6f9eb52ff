import FluxCapacitor
import FluxCapacitorTesting
import Observation
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

extension Dispatcher {
  enum Guests: DispatchState {
    typealias RelatedStoreType = GuestsStore
    typealias RelatedActionType = GuestsAction

    case increment
    case decrement
    case beginFetching
    case fetched(Int)
    case endFetching
  }
}

final class GuestsStore: Storable {
  let effects = Effects(.latest)
  var count: Constant<Int> { _count.constant }
  var isFetching: Constant<Bool> { _isFetching.constant }
  private let _count = Variable(0)
  private let _isFetching = Variable(false)

  func reduce(with state: Dispatcher.Guests) {
    switch state {
    case .increment: _count.value += 1
    case .decrement: _count.value -= 1
    case .beginFetching: _isFetching.value = true
    case .fetched(let guests):
      _count.value += guests
      _isFetching.value = false
    case .endFetching: _isFetching.value = false
    }
  }
}

struct GuestsClient: Sendable {
  var fetch: @Sendable () async -> Int
}

struct GuestsAction: Actionable {
  typealias DispatchStateType = Dispatcher.Guests

  let client: GuestsClient
  private var effects: Effects { GuestsStore.instantiate().effects }

  func fetch() {
    effects.run { effect in
      invoke(.beginFetching, as: effect)
      invoke(.fetched(await client.fetch()), as: effect)
    }
  }

  func cancel() {
    effects.supersede()
    invoke(.endFetching)
  }
}

struct GuestsBridge: Sendable {
  private let store = GuestsStore.instantiate()

  var counts: Values<Int> { store.count.values }
}

struct GuestsView: View {
  @State private var store = GuestsStore.instantiate()
  private let action: GuestsAction

  init(action: GuestsAction) {
    self.action = action
  }

  var body: some View {
    Text("Guests: \(store.count.value)")
    Text(store.isFetching.value ? "Fetching…" : "")
    Button("Increment") { action.invoke(.increment) }
    Button("Decrement") { action.invoke(.decrement) }
    Button("Fetch") { action.fetch() }
    Button("Cancel") { action.cancel() }
  }
}

struct GuestsScreen: View {
  private let action = GuestsAction(client: GuestsClient { 10 })

  var body: some View { GuestsView(action: action) }
}

@Suite(.isolatedDispatcher)
struct GuestsTests {
  @Test func fetchAddsTheFetchedGuestsToTheCount() async {
    let tester = StoreTester(GuestsStore.self)
    let action = GuestsAction(client: GuestsClient { 10 })

    tester.invoke(.increment) {
      Change(\.count, to: 1)
    }
    await tester.expect {
      Change(\.isFetching, to: true)
      Change(\.count, to: 11)
      Change(\.isFetching, to: false)
    } when: {
      action.fetch()
      await Dispatcher.shared.settled()
    }
  }
}

@MainActor
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromComposableArchitecture {
  private let gate = Gate()

  @Test func newerFetchSupersedesTheOlderFetch() async {
    let store = GuestsStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let fetches = Variable(0)
    let action = GuestsAction(
      client: GuestsClient {
        let number = fetches.modify { count in
          count += 1
          return count
        }
        if number == 1 { await gate.pass() }
        return number
      }
    )

    await expectStates {
      Dispatcher.Guests.beginFetching
      Dispatcher.Guests.beginFetching
      Dispatcher.Guests.fetched(2)
    } when: {
      action.fetch()
      await gate.reached()
      action.fetch()
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  @Test func bridgePassesTheCountsOn() async {
    let bridge = GuestsBridge()
    var counts = bridge.counts.makeAsyncIterator()

    #expect(await counts.next() == 0)
    Invoker<Dispatcher.Guests>().invoke(.increment)

    #expect(await counts.next() == 1)
    withExtendedLifetime(bridge) {}
  }

  @Test func cancelledFetchInvokesNoFurtherState() async {
    let store = GuestsStore.instantiate()
    defer { withExtendedLifetime(store) {} }
    let action = GuestsAction(
      client: GuestsClient {
        await gate.pass()
        return 1
      }
    )

    await expectStates {
      Dispatcher.Guests.beginFetching
      Dispatcher.Guests.endFetching
    } when: {
      action.fetch()
      await gate.reached()
      action.cancel()
      gate.open()
      await Dispatcher.shared.settled()
    }
  }

  #if !canImport(SwiftUI)
    @MainActor
    @Test func buttonsOfTheViewChangeTheTextOfTheView() async {
      let view = GuestsView(action: GuestsAction(client: GuestsClient { 10 }))
      #expect(view.texts == ["Guests: 0", ""])

      view.button("Increment")?.action()
      view.button("Increment")?.action()
      view.button("Decrement")?.action()
      #expect(view.texts == ["Guests: 1", ""])

      view.button("Fetch")?.action()
      await Dispatcher.shared.settled()
      #expect(view.texts == ["Guests: 11", ""])
    }

    @MainActor
    @Test func cancelButtonOfTheViewEndsARunningFetch() async {
      let client = GuestsClient {
        await gate.pass()
        return 10
      }
      let view = GuestsView(action: GuestsAction(client: client))

      view.button("Fetch")?.action()
      await gate.reached()
      #expect(view.texts == ["Guests: 0", "Fetching…"])
      view.button("Cancel")?.action()
      gate.open()
      await Dispatcher.shared.settled()

      #expect(view.texts == ["Guests: 0", ""])
    }
  #endif
}

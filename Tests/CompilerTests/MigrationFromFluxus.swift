import FluxCapacitor
import FluxCapacitorTesting
import Observation
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

extension Dispatcher {
  enum Votes: DispatchState {
    typealias RelatedStoreType = VotesStore
    typealias RelatedActionType = VotesAction

    case increment
    case decrement
    case add(Int)
    case setOpen(Bool)
  }
}

final class VotesStore: Storable {
  var count: Constant<Int> { _count.constant }
  let countIsEven: Constant<Bool>
  var isOpen: Constant<Bool> { _isOpen.constant }
  private let _count = Variable(0)
  private let _isOpen = Variable(true)

  init() {
    countIsEven = _count.map { $0 % 2 == 0 }
  }

  func reduce(with state: Dispatcher.Votes) {
    switch state {
    case .increment: _count.value += 1
    case .decrement: _count.value -= 1
    case .add(let amount): _count.value += amount
    case .setOpen(let isOpen): _isOpen.value = isOpen
    }
  }
}

struct VotesAction: Actionable {
  typealias DispatchStateType = Dispatcher.Votes

  var clock: any Clock<Duration> = ContinuousClock()
  private let requests = DustBuster()

  func addRandom(range: Int = 100) {
    Task {
      // This delay stands for a request that takes 150 ms.
      try await clock.sleep(for: .milliseconds(150))
      invoke(.add(Int.random(in: 1..<range)))
    }
    .cleaned(by: requests)
  }
}

struct VotesView: View {
  @State private var store = VotesStore.instantiate()
  private let action: VotesAction

  init(action: VotesAction = VotesAction()) {
    self.action = action
  }

  var body: some View {
    Text("Votes: \(store.count.value)")
    Text(store.countIsEven.value ? "A tie is possible." : "There is no tie.")
    Button("Increment") { action.invoke(.increment) }
    Button("Decrement") { action.invoke(.decrement) }
    Button("Add random") { action.addRandom() }
    Toggle("Open", isOn: isOpen)
  }

  private var isOpen: Binding<Bool> {
    Binding(
      get: { store.isOpen.value },
      set: { action.invoke(.setOpen($0)) }
    )
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromFluxus {
  @Test func invokedStatesChangeTheVariablesOfTheStore() {
    let tester = StoreTester(VotesStore.self)

    tester.invoke(.increment) {
      Change(\.count, to: 1)
    }
    tester.invoke(.decrement) {
      Change(\.count, to: 0)
    }
    tester.invoke(.setOpen(false)) {
      Change(\.isOpen, to: false)
    }
    #expect(tester.store.countIsEven.value)
  }

  @Test func answerOfARequestIsAddedToTheCountWhenTheRequestEnds() async {
    let clock = ManualClock()
    let store = VotesStore.instantiate()

    VotesAction(clock: clock).addRandom(range: 20)
    let durations = await clock.sleeping()
    let before = store.count.value
    await clock.advance(by: .milliseconds(150))
    await Dispatcher.shared.settled()

    #expect(durations == [.milliseconds(150)])
    #expect(before == 0)
    #expect((1..<20).contains(store.count.value))
  }

  #if !canImport(SwiftUI)
    @MainActor
    @Test func buttonsOfTheViewChangeTheCountAndTheText() {
      let view = VotesView()
      #expect(view.texts == ["Votes: 0", "A tie is possible."])

      view.button("Increment")?.action()
      view.button("Increment")?.action()
      view.button("Decrement")?.action()

      #expect(view.texts == ["Votes: 1", "There is no tie."])
    }

    @MainActor
    @Test func addRandomButtonAddsARandomNumberToTheCount() async {
      let clock = ManualClock()
      let view = VotesView(action: VotesAction(clock: clock))

      view.button("Add random")?.action()
      await clock.sleeping()
      await clock.advance(by: .milliseconds(150))
      await Dispatcher.shared.settled()

      #expect(view.texts.first != "Votes: 0")
    }

    @MainActor
    @Test func toggleInvokesAStateThatChangesTheStore() {
      let view = VotesView()
      let states = DispatchRecorder()

      view.toggle("Open")?.isOn.wrappedValue = false

      #expect(view.toggle("Open")?.isOn.wrappedValue == false)
      #expect(states.states(of: Dispatcher.Votes.self).count == 1)
    }

    @MainActor
    @Test func changeToAStoreInvalidatesABodyThatReadsTheStore() {
      let view = VotesView()
      let isStale = Variable(false)

      withObservationTracking {
        _ = view.texts
      } onChange: {
        isStale.value = true
      }
      view.button("Increment")?.action()

      #expect(isStale.value)
    }
  #endif
}

import BoardSample
import FluxCapacitor
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SyncActionTests {
  private let cards = CardStore.instantiate()
  private let store = SyncStore.instantiate()
  private let edits = Invoker<Dispatcher.Cards>()
  private let gate = Gate()

  private let addMilk = Edit(id: 1, old: nil, new: Card(id: 1, title: "Milk"))
  private let addBread = Edit(id: 2, old: nil, new: Card(id: 2, title: "Bread"))

  @Test func cardIsVisibleBeforeTheServerConfirmsIt() async {
    let action = SyncAction(server: MockServer.waiting(at: gate))
    edits.invoke(.add(title: "Milk"))

    action.sync()
    await gate.reached()

    #expect(cards.cards[id: 1] == Card(id: 1, title: "Milk"))
    #expect(store.unsynced.value == [addMilk])
    gate.open()
    await Dispatcher.shared.settled()
    #expect(store.unsynced.value.isEmpty)
  }

  @Test func refusedEditIsRolledBackAndReportedOnce() async {
    let refusal = ServerError.refused(reason: "No.")
    let action = SyncAction(server: MockServer { $0.id == 1 ? refusal : nil })
    let failures = ValueRecorder(store.failures)
    edits.invoke(.add(title: "Milk"))
    edits.invoke(.add(title: "Bread"))

    await expectStates {
      Dispatcher.Cards.rollBack(addMilk)
      Dispatcher.Sync.fail(addMilk, refusal)
      Dispatcher.Sync.confirm(addBread, revision: 2)
    } when: {
      action.sync()
      await Dispatcher.shared.settled()
    }
    #expect(cards.cards.ids.value == [2])
    #expect(failures.values.map(\.error) == [refusal])
  }

  @Test func editDuringASyncSurvivesTheRollbackAndIsSentByTheWaitingSync() async {
    let action = SyncAction(
      server: MockServer { [gate, addMilk] edit in
        guard edit == addMilk else { return nil }
        await gate.pass()
        return .refused(reason: "No.")
      }
    )
    let oatMilk = Card(id: 1, title: "Oat milk")
    edits.invoke(.add(title: "Milk"))

    action.sync()
    await gate.reached()
    edits.invoke(.rename(1, to: "Oat milk"))
    for _ in 0..<3 { action.sync() }
    gate.open()
    await Dispatcher.shared.settled()

    #expect(cards.cards[id: 1] == oatMilk)
    #expect(store.unsynced.value.isEmpty)
  }

  @Test func secondSyncWaitsForTheFirstAndSendsNoEditTwice() async {
    let sent = Variable<[Edit]>([])
    let action = SyncAction(
      server: MockServer { [gate] edit in
        sent.value.append(edit)
        await gate.pass()
        return nil
      }
    )
    edits.invoke(.add(title: "Milk"))

    action.sync()
    await gate.reached()
    edits.invoke(.add(title: "Bread"))
    action.sync()
    gate.open()
    await Dispatcher.shared.settled()

    #expect(sent.value == [addMilk, addBread])
  }

  @Test func undoAfterASyncIsSentToTheServer() async {
    let action = SyncAction(server: MockServer())
    edits.invoke(.add(title: "Milk"))
    action.sync()
    await Dispatcher.shared.settled()

    edits.invoke(.undo)

    let removal = Edit(id: 1, old: addMilk.new, new: nil)
    #expect(store.unsynced.value == [removal])
    await expectStates {
      Dispatcher.Sync.confirm(removal, revision: 2)
    } when: {
      action.sync()
      await Dispatcher.shared.settled()
    }
  }

  @Test func slowServerTakesASecondForEachEditAndRefusesLongTitles() async {
    let clock = ManualClock()
    let action = SyncAction(server: SlowServer(clock: clock))
    edits.invoke(.add(title: "Milk"))
    edits.invoke(.add(title: String(repeating: "Milk", count: 8)))

    action.sync()
    #expect(await clock.sleeping() == [.seconds(1)])
    #expect(store.unsynced.value.map(\.id) == [1, 2])
    await clock.advance(by: .seconds(1))
    await clock.sleeping()
    #expect(store.unsynced.value.map(\.id) == [2])
    await clock.advance(by: .seconds(1))
    await Dispatcher.shared.settled()

    #expect(cards.cards.ids.value == [1])
  }
}

import FluxCapacitor
import FluxCapacitorTesting
import Testing

extension Dispatcher {
  enum Score: DispatchState {
    typealias RelatedStoreType = ScoreStore
    typealias RelatedActionType = ScoreAction

    case increment
    case decrement
    case fetchBonus
    case didFetchBonus(Int)
  }
}

struct ScoreAction: Actionable {
  typealias DispatchStateType = Dispatcher.Score
}

final class ScoreStore: Storable {
  var score: Constant<Int> { _score.constant }
  var best: Constant<Int> { _best.constant }
  let title: Constant<String>
  private let _score = Variable(0)
  private let _best = Variable(0)

  init() {
    title = Constant.combine(_score, _best).map { "\($0), at best \($1)" }
  }

  func reduce(with state: Dispatcher.Score) {
    switch state {
    case .increment: add(1)
    case .decrement: add(-1)
    case .fetchBonus: break
    case .didFetchBonus(let bonus): add(bonus)
    }
  }

  private func add(_ points: Int) {
    _score.value += points
    _best.value = max(_best.value, _score.value)
  }
}

final class ScoreEffects: Sendable {
  private let observations = DustBuster()

  init(bonus: @escaping @Sendable () async -> Int) {
    let requests = Effects(.concurrent(.max))
    Dispatcher.shared.observe(Dispatcher.Score.self) { state in
      guard case .fetchBonus = state else { return }
      requests.run { effect in ScoreAction().invoke(.didFetchBonus(await bonus()), as: effect) }
    }
    .cleaned(by: observations)
  }
}

struct BonusAction: Actionable {
  typealias DispatchStateType = Dispatcher.Score

  let bonus: @Sendable () async -> Int

  func fetch() async {
    invoke(.didFetchBonus(await bonus()))
  }
}

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct MigrationFromFluxor {
  @Test func observerOfACombinedConstantReceivesEachNewTitle() async {
    let log = Variable<[String]>([])
    let print = { @Sendable (title: String) in log.value.append(title) }
    let service = BonusService()

    let store = ScoreStore.instantiate()
    let effects = ScoreEffects(bonus: service.bonus)
    let action = ScoreAction()
    let dust = store.title.observe { print($0) }
    action.invoke(.increment)
    action.invoke(.decrement)
    action.invoke(.fetchBonus)

    await Dispatcher.shared.settled()
    #expect(log.value == ["0, at best 0", "1, at best 1", "0, at best 1", "10, at best 10"])
    withExtendedLifetime(effects) {}
    dust.clean()
  }

  @Test func concurrentEffectsInvokeAnAnswerForEveryRequest() async {
    let gate = Gate()
    let store = ScoreStore.instantiate()
    let effects = ScoreEffects {
      await gate.pass()
      return 10
    }

    await expectStates {
      Dispatcher.Score.fetchBonus
      Dispatcher.Score.fetchBonus
      Dispatcher.Score.didFetchBonus(10)
      Dispatcher.Score.didFetchBonus(10)
    } when: {
      ScoreAction().invoke(.fetchBonus)
      ScoreAction().invoke(.fetchBonus)
      await gate.reached(2)
      gate.open()
      await Dispatcher.shared.settled()
    }

    #expect(store.score.value == 20)
    withExtendedLifetime(effects) {}
  }

  @Test func runningEffectIsCancelledWhenItsOwnerIsFreed() async {
    let gate = Gate()
    let wasCancelled = Variable<Bool?>(nil)
    var effects: ScoreEffects? = ScoreEffects {
      await gate.pass()
      wasCancelled.value = Task.isCancelled
      return 10
    }
    weak let held = effects

    ScoreAction().invoke(.fetchBonus)
    await gate.reached()
    effects = nil
    gate.open()
    await Dispatcher.shared.settled()
    ScoreAction().invoke(.fetchBonus)
    await Dispatcher.shared.settled()

    #expect(held == nil)
    #expect(wasCancelled.value == true)
  }

  @Test func asynchronousActionInvokesAStateWithoutAnEffect() async {
    let store = ScoreStore.instantiate()

    await BonusAction(bonus: { 7 }).fetch()

    #expect(store.title.value == "7, at best 7")
  }

  private struct BonusService: Sendable {
    func bonus() async -> Int { 10 }
  }
}

import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct BindingTests {
  private let variable = Variable(1)
  private let log = Log<Int>()
  private let target = BoundTarget()

  @Test @MainActor func boundPropertyOnMainReceivesTheCurrentValueAndEachChange() {
    let view = BoundView()

    Constant(variable).bind(to: view, \.count)
    let first = view.count
    variable.value = 2

    #expect(first == 1)
    #expect(view.count == 2)
  }

  @Test @MainActor func bindSetsAnOptionalPropertyToTheNonOptionalValueOfAVariable() {
    let variable = Variable("a")
    let view = BoundView()

    variable.bind(to: view, \.text)
    variable.value = "b"

    #expect(view.text == "b")
  }

  @Test @MainActor func boundOptionalPropertyBecomesNilWhenTheVariableBecomesNil() {
    let variable = Variable<String?>("a")
    let view = BoundView()

    variable.bind(to: view, \.text)
    variable.value = nil

    #expect(view.text == nil)
  }

  @Test @MainActor func bindOnMainPassesTheTargetAndTheValueToItsClosure() {
    let view = BoundView()

    variable.bind(to: view) { view, count in view.text = "\(count)" }
    variable.value = 2

    #expect(view.text == "2")
  }

  @Test @MainActor func bindAndObserveOnMainAcceptATargetThatIsNotSendable() {
    let model = BoundModel()

    variable.bind(to: model, \.count)
    variable.bind(to: model) { [log] model, _ in log.append(model.count) }
    variable.observe(duringScopeOf: model, on: .main) { [log] in log.append($0 * 10) }
    variable.value = 2

    #expect(model.count == 2)
    #expect(log.entries == [1, 10, 2, 20])
  }

  @Test @MainActor
  func boundPropertyIsSetAsynchronouslyOnMainWhenAnotherThreadChangesTheVariable() async {
    let view = BoundView()
    variable.bind(to: view, \.count)

    Beside { variable.value = 2 }.join()
    let before = view.count
    await mainQueueIsEmpty()

    #expect(before == 1)
    #expect(view.count == 2)
  }

  @Test func bindOnCurrentSetsPropertiesAndCallsClosuresBeforeTheWriteReturns() {
    variable.bind(to: target, on: .current, \.count)
    variable.bind(to: target, on: .current, \.optional)
    variable.bind(to: target, on: .current) { target, value in target.closure = value }
    variable.value = 2

    #expect(target.count == 2)
    #expect(target.optional == 2)
    #expect(target.closure == 2)
  }

  @Test func bindOnAQueueCallsItsClosureOnThatQueue() {
    let queue = DispatchQueue(label: "bindings")

    variable.bind(to: target, on: .queue(queue)) { target, value in
      dispatchPrecondition(condition: .onQueue(queue))
      target.count = value
    }
    variable.value = 2
    queue.sync {}

    #expect(target.count == 2)
  }

  @Test func observeDuringScopeOfAnObjectDeliversChangesOnCurrentAndOnAQueue() {
    let queue = DispatchQueue(label: "scopes")

    variable.observe(duringScopeOf: target) { [log] in log.append($0) }
    variable.observe(duringScopeOf: target, ignoreFirst: true) { [log] in log.append($0 * 10) }
    variable.observe(duringScopeOf: target, on: .queue(queue), ignoreFirst: true) { [log] in
      log.append($0 * 100)
    }
    variable.value = 2
    queue.sync {}

    #expect(log.entries == [1, 2, 20, 200])
  }

  @Test @MainActor func observeDuringScopeOfAnObjectOnMainCallsItsClosureOnTheMainActor() {
    let view = BoundView()

    variable.observe(duringScopeOf: view, on: .main, ignoreFirst: true) { [unowned view] count in
      view.count = count
    }
    let first = view.count
    variable.value = 2

    #expect(first == 0)
    #expect(view.count == 2)
  }

  @Test func signalObservationDuringScopeOfAnObjectEndsWhenTheObjectIsFreed() {
    let sink = Sink<Int>()
    let tally = Tally()
    var object: BoundTarget? = BoundTarget()
    if let object {
      sink.signal.map { $0 * 10 }.observe(duringScopeOf: object) {
        [counted = Counted(tally), log] in
        log.append($0)
        _ = counted
      }
    }
    sink.send(1)

    object = nil
    sink.send(2)

    #expect(log.entries == [10])
    #expect(tally.value == 0)
  }

  @Test @MainActor func signalObserverDuringScopeOfAnObjectOnMainIsCalledOnTheMainActor() {
    let sink = Sink<Int>()
    let view = BoundView()
    let model = BoundModel()

    sink.signal.observe(duringScopeOf: view, on: .main) { [unowned view] in view.count = $0 }
    sink.signal.observe(duringScopeOf: model, on: .main) { [unowned model] in model.count = $0 }
    sink.send(1)

    #expect(view.count == 1)
    #expect(model.count == 1)
  }

  @Test func cleanEndsABindingWhileItsTargetIsStillAlive() {
    let dust = variable.bind(to: target, on: .current, \.count)
    dust.clean()
    variable.value = 2

    #expect(target.count == 1)
  }
}

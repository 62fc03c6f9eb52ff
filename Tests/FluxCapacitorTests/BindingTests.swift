import Dispatch
import FluxCapacitor
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BindingTests {
  @Test @MainActor func propertyFollowsTheValueOnMain() {
    let variable = Variable(1)
    let view = View()

    Constant(variable).bind(to: view, \.count)
    let first = view.count
    variable.value = 2

    #expect(first == 1)
    #expect(view.count == 2)
  }

  @Test @MainActor func optionalPropertyTakesWhatIsNotOptional() {
    let variable = Variable("a")
    let view = View()

    variable.bind(to: view, \.text)
    variable.value = "b"

    #expect(view.text == "b")
  }

  @Test @MainActor func optionalPropertyTakesNil() {
    let variable = Variable<String?>("a")
    let view = View()

    variable.bind(to: view, \.text)
    variable.value = nil

    #expect(view.text == nil)
  }

  @Test @MainActor func closureIsGivenTheTargetOnMain() {
    let variable = Variable(1)
    let view = View()

    variable.bind(to: view) { view, count in view.text = "\(count)" }
    variable.value = 2

    #expect(view.text == "2")
  }

  @Test @MainActor func targetOnMainNeedNotBeSendable() {
    let variable = Variable(1)
    let model = Model()
    let log = Log<Int>()

    variable.bind(to: model, \.count)
    variable.bind(to: model) { model, _ in log.append(model.count) }
    variable.observe(duringScopeOf: model, on: .main) { log.append($0 * 10) }
    variable.value = 2

    #expect(model.count == 2)
    #expect(log.entries == [1, 10, 2, 20])
  }

  @Test @MainActor func changeOnAnotherThreadIsWrittenOnMain() async {
    let variable = Variable(1)
    let view = View()
    variable.bind(to: view, \.count)

    Beside { variable.value = 2 }.join()
    let before = view.count
    await mainQueueIsEmpty()

    #expect(before == 1)
    #expect(view.count == 2)
  }

  @Test func propertyAndClosureOnCurrent() {
    let variable = Variable(1)
    let target = Target()

    variable.bind(to: target, on: .current, \.count)
    variable.bind(to: target, on: .current, \.optional)
    variable.bind(to: target, on: .current) { target, value in target.closure = value }
    variable.value = 2

    #expect(target.count == 2)
    #expect(target.optional == 2)
    #expect(target.closure == 2)
  }

  @Test func closureOnAQueueIsCalledThere() {
    let queue = DispatchQueue(label: "bindings")
    let variable = Variable(1)
    let target = Target()

    variable.bind(to: target, on: .queue(queue)) { target, value in
      dispatchPrecondition(condition: .onQueue(queue))
      target.count = value
    }
    variable.value = 2
    queue.sync {}

    #expect(target.count == 2)
  }

  @Test func scopeOnAnyQueueTellsAsObserveDoes() {
    let queue = DispatchQueue(label: "scopes")
    let variable = Variable(1)
    let object = Target()
    let log = Log<Int>()

    variable.observe(duringScopeOf: object) { log.append($0) }
    variable.observe(duringScopeOf: object, ignoreFirst: true) { log.append($0 * 10) }
    variable.observe(duringScopeOf: object, on: .queue(queue), ignoreFirst: true) {
      log.append($0 * 100)
    }
    variable.value = 2
    queue.sync {}

    #expect(log.entries == [1, 2, 20, 200])
    withExtendedLifetime(object) {}
  }

  @Test @MainActor func scopeOnMainMayUseTheMainActor() {
    let variable = Variable(1)
    let view = View()

    variable.observe(duringScopeOf: view, on: .main, ignoreFirst: true) { [unowned view] count in
      view.count = count
    }
    let first = view.count
    variable.value = 2

    #expect(first == 0)
    #expect(view.count == 2)
  }

  @Test func signalIsObservedDuringAScope() {
    let sink = Sink<Int>()
    let tally = Counted.Tally()
    let log = Log<Int>()
    var object: Target? = Target()
    if let object {
      sink.signal.map { $0 * 10 }.observe(duringScopeOf: object) { [counted = Counted(tally)] in
        log.append($0)
        _ = counted
      }
    }
    sink.send(1)

    object = nil
    sink.send(2)

    #expect(log.entries == [10])
    #expect(tally.count == 0)
  }

  @Test @MainActor func signalIsObservedDuringAScopeOnMain() {
    let sink = Sink<Int>()
    let view = View()
    let model = Model()

    sink.signal.observe(duringScopeOf: view, on: .main) { [unowned view] in view.count = $0 }
    sink.signal.observe(duringScopeOf: model, on: .main) { [unowned model] in model.count = $0 }
    sink.send(1)

    #expect(view.count == 1)
    #expect(model.count == 1)
  }

  @Test func dustEndsABindingBeforeItsTarget() {
    let variable = Variable(1)
    let target = Target()

    let dust = variable.bind(to: target, on: .current, \.count)
    dust.clean()
    variable.value = 2

    #expect(target.count == 1)
  }

  private func mainQueueIsEmpty() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}

// MARK: - Lifetime

extension BindingTests {
  @Test func firstChangeAfterTheTargetFreesTheClosureOnCurrent() {
    let variable = Variable(0)
    let tally = Counted.Tally()
    let log = Log<Int>()
    var target: Target? = Target()
    weak let held = target
    bind(variable, to: target, on: .current, log, tally)

    target = nil
    #expect(held == nil)
    #expect(tally.count == 1)
    variable.value = 1

    #expect(log.entries == [0])
    #expect(tally.count == 0)
  }

  @Test func firstChangeAfterTheTargetFreesTheClosureOnAQueue() {
    let queue = DispatchQueue(label: "bindings")
    let variable = Variable(0)
    let tally = Counted.Tally()
    let log = Log<Int>()
    var target: Target? = Target()
    bind(variable, to: target, on: .queue(queue), log, tally)
    queue.sync {}

    target = nil
    variable.value = 1
    queue.sync {}

    #expect(log.entries == [0])
    #expect(tally.count == 0)
  }

  @Test func firstValueIsNotToldWhenTheTargetIsGoneByThen() {
    let queue = DispatchQueue(label: "bindings")
    let variable = Variable(0)
    let tally = Counted.Tally()
    let log = Log<Int>()
    var target: Target? = Target()
    queue.suspend()
    bind(variable, to: target, on: .queue(queue), log, tally)

    target = nil
    queue.resume()
    queue.sync {}

    #expect(log.entries.isEmpty)
    #expect(tally.count == 0)
  }

  @Test @MainActor func firstChangeAfterTheTargetFreesTheClosureOnMain() {
    let variable = Variable(0)
    let tally = Counted.Tally()
    var view: View? = View()
    weak let held = view
    if let view {
      variable.bind(to: view) { [counted = Counted(tally)] view, count in
        view.count = count
        _ = counted
      }
    }
    variable.value = 1
    #expect(view?.count == 1)

    view = nil
    #expect(held == nil)
    #expect(tally.count == 1)
    variable.value = 2

    #expect(tally.count == 0)
  }

  @Test func cleanAndTheEndOfTheValueFreeTheClosure() {
    let tally = Counted.Tally()
    let target = Target()
    do {
      let variable = Variable(0)
      bind(variable, to: target, on: .current, Log(), tally)
      let second = Variable(0)
      bind(second, to: target, on: .current, Log(), tally).clean()
      #expect(tally.count == 1)
    }

    #expect(tally.count == 0)
    withExtendedLifetime(target) {}
  }

  /// Calls come on other threads while the binding is being made, and while its target goes.
  @Test func targetsThatComeAndGoAmongWrites() {
    let variable = Variable(0)
    let tally = Counted.Tally()
    let queue = DispatchQueue(label: "bindings", attributes: .concurrent)

    inParallel(8) { thread in
      for index in 0..<25_000 {
        if thread < 4 {
          variable.value = index
        } else if index.isMultiple(of: 10) {
          let place: ExecuteQueue = index.isMultiple(of: 100) ? .queue(queue) : .current
          bind(variable, to: Target(), on: place, nil, tally)
        }
      }
    }
    variable.value = -1
    queue.sync(flags: .barrier) {}
    variable.value = -2
    queue.sync(flags: .barrier) {}

    #expect(tally.count == 0)
  }

  @discardableResult
  private func bind(
    _ variable: Variable<Int>,
    to target: Target?,
    on queue: ExecuteQueue,
    _ log: Log<Int>?,
    _ tally: Counted.Tally
  ) -> Dust {
    variable.bind(to: target ?? Target(), on: queue) { [counted = Counted(tally)] target, value in
      target.count = value
      log?.append(target.count)
      _ = counted
    }
  }
}

@MainActor
private final class View {
  var count = 0
  var text: String?
}

/// What only the main actor uses, though nothing says so.
private final class Model {
  var count = 0
}

/// Guarded by the promise under test: calls to one observer never overlap.
private final class Target: @unchecked Sendable {
  var count = 0
  var optional: Int?
  var closure = 0
}

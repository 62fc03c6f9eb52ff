import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// A binding ends when its target is freed, and then frees its closure.
@Suite(.timeLimit(.minutes(20)))
struct BindingLifetimeTests {
  private let variable = Variable(0)
  private let tally = Tally()
  private let log = Log<Int>()
  private let messages = Sink<Int>()

  @Test(arguments: [false, true])
  func bindingFreesItsClosureAtTheFirstChangeAfterItsTargetIsFreed(isOnQueue: Bool) {
    let queue = DispatchQueue(label: "bindings")
    var target: BoundTarget? = BoundTarget()
    weak let held = target
    bind(variable, to: target, on: isOnQueue ? .queue(queue) : .current, log)
    queue.sync {}

    #expect(tally.value == 1)
    target = nil
    #expect(held == nil)
    variable.value = 1
    queue.sync {}

    #expect(log.entries == [0])
    #expect(tally.value == 0)
  }

  /// The targets and the stores of closed screens end together: no change follows that could end the bindings.
  @Test(arguments: [false, true]) @MainActor
  func bindingsOfAClosedScreenEndWithoutAChange(isOnMain: Bool) {
    do {
      let (view, target) = (BoundView(), BoundTarget())
      let title = Variable(0).constant.map { $0 + 1 }
      let (ofTitle, ofMessages) = (Counted(tally), Counted(tally))
      if isOnMain {
        title.bind(to: view) { _, _ in _ = ofTitle }
        messages.signal.bind(to: view) { _, _ in _ = ofMessages }
      } else {
        title.bind(to: target, on: .current) { _, _ in _ = ofTitle }
        messages.signal.bind(to: target, on: .current) { _, _ in _ = ofMessages }
      }
    }

    let (otherView, otherTarget) = (BoundView(), BoundTarget())
    for _ in 0..<100_000 where tally.value > 0 {
      if isOnMain {
        variable.bind(to: otherView) { _, _ in }.clean()
      } else {
        variable.bind(to: otherTarget, on: .current) { _, _ in }.clean()
      }
    }
    #expect(tally.value == 0)
  }

  /// A new observation ends old ones, and must not wait for the variable of one of them.
  @Test func bindingDoesNotWaitForAModifyOfAnotherVariable() {
    let (tally, other) = (tally, Variable(0))
    do {
      let (target, counted) = (BoundTarget(), Counted(tally))
      variable.bind(to: target, on: .current) { _, _ in _ = counted }
    }

    let ended = DispatchGroup()
    variable.modify { number in
      number = 1
      DispatchQueue.global().async(group: ended) {
        let target = BoundTarget()
        for _ in 0..<10_000 { other.bind(to: target, on: .current) { _, _ in }.clean() }
      }
      #expect(ended.wait(timeout: .now() + .seconds(60)) == .success)
    }
    #expect(tally.value == 0)
  }

  @Test func bindingOnAQueueDropsItsInitialValueWhenItsTargetIsFreedBeforeTheQueueRuns() {
    let queue = DispatchQueue(label: "bindings")
    var target: BoundTarget? = BoundTarget()
    queue.suspend()
    bind(variable, to: target, on: .queue(queue), log)

    target = nil
    queue.resume()
    queue.sync {}

    #expect(log.entries.isEmpty)
    #expect(tally.value == 0)
  }

  @Test @MainActor func bindingOnMainFreesItsClosureAtTheFirstChangeAfterItsTargetIsFreed() {
    var view: BoundView? = BoundView()
    weak let held = view
    if let view {
      variable.bind(to: view) { [counted = Counted(tally)] view, count in
        view.count = count
        _ = counted
      }
    }
    variable.value = 1
    #expect(view?.count == 1)

    #expect(tally.value == 1)
    view = nil
    #expect(held == nil)
    variable.value = 2

    #expect(tally.value == 0)
  }

  @Test func bindingReleasesItsClosureWhenItsDustIsCleanedOrItsVariableIsFreed() {
    let target = BoundTarget()
    do {
      let variable = Variable(0)
      bind(variable, to: target, on: .current, nil)
      let second = Variable(0)
      bind(second, to: target, on: .current, nil).clean()
      #expect(tally.value == 1)
    }

    #expect(tally.value == 0)
    withExtendedLifetime(target) {}
  }

  @Test func bindingsFreeTheirClosuresWhenTargetsAreFreedDuringWritesOnOtherThreads() {
    let queue = DispatchQueue(label: "bindings", attributes: .concurrent)

    inParallel(8) { thread in
      for index in 0..<stress(25_000) {
        if thread < 4 {
          variable.value = index
        } else if index.isMultiple(of: 25) {
          let place: ExecuteQueue = index.isMultiple(of: 100) ? .queue(queue) : .current
          bind(variable, to: BoundTarget(), on: place, nil)
        }
      }
    }
    variable.value = -1
    queue.sync(flags: .barrier) {}
    variable.value = -2
    queue.sync(flags: .barrier) {}

    #expect(tally.value == 0)
  }

  @discardableResult
  private func bind(
    _ variable: Variable<Int>,
    to target: BoundTarget?,
    on queue: ExecuteQueue,
    _ log: Log<Int>?
  ) -> Dust {
    let counted = Counted(tally)
    return variable.bind(to: target ?? BoundTarget(), on: queue) { target, value in
      target.count = value
      log?.append(target.count)
      _ = counted
    }
  }
}

import FluxCapacitor
import Foundation
import Synchronization
import Testing

struct RegistryTests {
  let dispatcher = Dispatcher()

  @Test func racingThreadsGetTheOneStore() {
    var wrong = 0
    for _ in 0..<500 * scale {
      let dispatcher = Dispatcher()
      let before = Made.inits.value
      let stores = Log<Made.Store>()
      onThreads(4) { _ in
        withDispatcher(dispatcher) { stores.append(Made.Store.instantiate()) }
      }
      let first = stores.entries[0]
      if !stores.entries.allSatisfy({ $0 === first }) || Made.inits.value != before + 1 {
        wrong += 1
      }
    }
    #expect(wrong == 0)
  }

  @Test func instantiatingAndReleasingFromManyThreads() {
    let two = Counter()
    let living = Counter()
    onThreads(4) { [dispatcher] index in
      for step in 0..<5_000 * scale {
        withDispatcher(dispatcher) {
          let store = Churned.Store.instantiate()
          if step % 7 == index { store.clear() }
          if step % 31 == 0 { _ = Churned.Sibling.instantiate() }
          ChurnedAction().invoke(.touch)
          if index == 3, step % 1000 == 0 { dispatcher.unregisterAll() }
          withExtendedLifetime(store) {}
        }
      }
      _ = (two, living)
    }
    #expect(Churned.living.value == 0)
  }

  @Test func storeGoesWithItsLastReferenceAndIsMadeAnew() {
    withDispatcher(dispatcher) {
      weak var old: Made.Store?
      do {
        let store = Made.Store.instantiate()
        Made.Action().invoke(.touch)
        #expect(store.reduced.value == 1)
        old = store
      }
      #expect(old == nil)
      #expect(Made.Store.instantiate().reduced.value == 0)
    }
  }

  @Test func statesOfTheSameNameAreToldApart() {
    withDispatcher(dispatcher) {
      let a = ScopeA.Store.instantiate()
      let b = ScopeB.Store.instantiate()
      let int = GenericStore<Int>.instantiate()
      let string = GenericStore<String>.instantiate()
      ScopeA.Action().invoke(.touch)
      GenericAction<String>().invoke(.touch)
      #expect(a.reduced.value == 1)
      #expect(b.reduced.value == 0)
      #expect(int.reduced.value == 0)
      #expect(string.reduced.value == 1)
    }
  }

  @Test func statesReachTheirStoresInTheOrderOfRegistration() {
    withDispatcher(dispatcher) {
      let log = Log<String>()
      let parent = Family.Parent.instantiate()
      let cousin = Family.Cousin.instantiate()
      let child = Family.Child.instantiate()
      Family.Action().invoke(.note(log))
      #expect(log.entries == ["parent", "cousin", "child"])
      #expect(Family.Parent.instantiate() === parent)
      parent.clear()
      #expect(Family.Parent.instantiate() === child)
      Family.Action().invoke(.note(log))
      #expect(log.entries.dropFirst(3) == ["cousin", "child"])
      cousin.clear()
      let fresh = Family.Cousin.instantiate()
      #expect(fresh !== cousin)
      Family.Action().invoke(.note(log))
      #expect(log.entries.suffix(2) == ["child", "cousin"])
      withExtendedLifetime(fresh) {}
    }
  }

  @Test func clearOfAnOldStoreLeavesTheNewerOneAlone() {
    withDispatcher(dispatcher) {
      let old = Made.Store.instantiate()
      old.clear()
      let new = Made.Store.instantiate()
      old.clear()
      #expect(new !== old)
      #expect(Made.Store.instantiate() === new)
      Made.Action().invoke(.touch)
      #expect(old.reduced.value == 0)
      #expect(new.reduced.value == 1)
    }
  }

  @Test func clearFindsTheDispatcherOfTheStore() {
    let store = withDispatcher(dispatcher) { Made.Store.instantiate() }
    let other = Dispatcher()
    let far = withDispatcher(other) { Made.Store.instantiate() }
    withDispatcher(other) { store.clear() }
    dispatcher.dispatch(Made.State.touch)
    other.dispatch(Made.State.touch)
    #expect(store.reduced.value == 0)
    #expect(far.reduced.value == 1)
    Worker { far.clear() }.join()
    other.dispatch(Made.State.touch)
    #expect(far.reduced.value == 1)
  }

  @Test func unregisteringInsideAReduceHoldsForTheStoresThatComeLater() {
    let first = withDispatcher(dispatcher) { Unregistering.First.instantiate() }
    let second = withDispatcher(dispatcher) { Unregistering.Second.instantiate() }
    dispatcher.dispatch(Unregistering.State.run { [dispatcher] in dispatcher.unregisterAll() })
    #expect(second.reduced.value == 0)
    dispatcher.dispatch(Unregistering.State.run {})
    #expect(first.reduced.value == 1)
    #expect(second.reduced.value == 0)
  }

  @Test func clearingInsideAReduceHoldsForTheStoresThatComeLater() {
    let first = withDispatcher(dispatcher) { Unregistering.First.instantiate() }
    let second = withDispatcher(dispatcher) { Unregistering.Second.instantiate() }
    dispatcher.dispatch(Unregistering.State.run { second.clear() })
    #expect(first.reduced.value == 1)
    #expect(second.reduced.value == 0)
  }

  @Test func whatAnInitInvokesIsReducedByTheNewStore() {
    withDispatcher(dispatcher) {
      let store = Eager.Outer.instantiate()
      #expect(store.reduced.value == 2)
      #expect(store.inner.reduced.value == 1)
    }
  }

  @Test func initRacingAReduceThatInstantiatesTheSameStore() {
    for _ in 0..<300 * scale {
      let dispatcher = Dispatcher()
      let user = withDispatcher(dispatcher) { Crossing.User.instantiate() }
      let made = Box<Crossing.Wanted?>(nil)
      let isInTime = onThreads(3, within: 20) { index in
        switch index {
        case 0: dispatcher.dispatch(Crossing.UserState.want(dispatcher))
        case 1: withDispatcher(dispatcher) { made.value = Crossing.Wanted.instantiate() }
        default: dispatcher.dispatch(Crossing.UserState.want(dispatcher))
        }
      }
      #expect(isInTime)
      user.wanted.withLock { #expect($0 === made.value) }
      #expect(made.value?.reduced.value == 3)
    }
  }

  @Test func cycleOnOneThreadTrapsByName() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Ring.leftHasBegun.open()
      Ring.rightHasBegun.open()
      _ = Ring.Left.instantiate()
    }
    #expect(
      sentence(of: result).contains(
        "Ring.Left → ContractTests.Ring.Right → ContractTests.Ring.Left"
      )
    )
  }

  @Test func cycleAcrossTwoThreadsTrapsByName() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let left = Worker { _ = Ring.Left.instantiate() }
      let right = Worker { _ = Ring.Right.instantiate() }
      left.join(within: 5)
      right.join(within: 5)
    }
    let text = sentence(of: result)
    #expect(text.contains("Ring.Left") && text.contains("Ring.Right"))
  }

  @Test func storesInParallelTasksKeepToTheirDispatchers() async {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 {
        group.addTask {
          await withDispatcher(Dispatcher()) {
            let store = Made.Store.instantiate()
            Made.Action().invoke(.touch)
            await Task.yield()
            Made.Action().invoke(.touch)
            async let child: Void = Made.Action().invoke(.touch)
            await child
            return store.reduced.value == 3 && Made.Store.instantiate() === store
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}

import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Testing

/// A programming error traps with a message that explains the error, and never deadlocks.
@Suite(.timeLimit(.minutes(20)))
struct TrapTests {
  @Test(arguments: Use.allCases)
  func useOfAVariableInsideAMutationOfTheSameVariableTraps(use: Use) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use] in
      let variable = Variable([0])
      let (constant, count) = (variable.constant, variable.map(\.count))
      variable.modify { value in
        switch use {
        case .mutation: variable.value.append(1)
        case .constant: value = constant.value
        case .derived: value.append(count.value)
        case .tracked: track(constant)
        }
      }
    }

    expectSentence(in: result, "Variable<Array<Int>>", "inside its own mutation", "modify")
  }

  enum Use: Codable, CaseIterable {
    case mutation, constant, derived, tracked
  }

  @Test func transactionInsideAMutationOfAVariableTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let variable = Variable(0)
      variable.modify { value in Dispatcher().transaction { value = 1 } }
    }

    expectSentence(in: result, "transaction", "inside a variable's mutation")
  }

  @Test func dispatcherReadInsideTheInitializerOfAStoreTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ReadingStore.instantiate()
    }

    expectSentence(in: result, "read", "inside a store's initializer")
  }

  @Test func mutationOfAVariableAcrossAnAwaitTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Wanderer().mutate()
    }

    expectSentence(in: result, "Variable<Array<Int>>", "across an `await`")
  }

  /// Another block of the main queue ends the `await`, or nothing ends it.
  @Test(arguments: [true, false])
  func mutationOfAVariableAcrossAnAwaitOnTheMainActorTraps(isResumed: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isResumed] in
      await mutateOnMain(resuming: isResumed)
    }

    expectSentence(in: result, "across an `await`")
  }

  @Test func changesOfATablesRowOnTheMainActorDoNotTrapBetweenAwaits() async {
    await #expect(processExitsWith: .success) { await changeBetweenAwaits() }
  }

  @Test func changeOfATablesRowAcrossAnAwaitTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await Wanderer().changeRow()
    }

    expectSentence(in: result, "VariableTable<Card>", "across an `await`")
  }

  @Test func storesThatInstantiateEachOtherTrapWithTheirNames() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ChickenStore.instantiate()
    }

    expectSentence(in: result, "FluxCapacitorTests.ChickenStore → FluxCapacitorTests.EggStore → ")
  }
}

@MainActor private func mutateOnMain(resuming isResuming: Bool) async {
  let variable = Variable([0])
  await append(to: &variable.value)

  func append(to array: inout [Int]) async {
    await withUnsafeContinuation { continuation in
      if isResuming { DispatchQueue.main.async { continuation.resume() } }
    }
    array.append(1)
  }
}

@MainActor private func changeBetweenAwaits() async {
  let (variable, cards) = (Variable([0]), table("a"))
  for count in 1...100 {
    variable.value.append(count)
    cards[id: "a"]?.tags.append(count)
    await Task.yield()
  }
  #expect(variable.value.count == 101)
}

/// An actor that resumes on another thread after each `await`.
private actor Wanderer {
  nonisolated let executor = ThreadForEachJob()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let variable = Variable([0])
  private let cards = table("a")

  func mutate() async {
    await append(to: &variable.value)
  }

  func changeRow() async {
    await change(&cards[id: "a"])
  }

  private nonisolated(nonsending) func append(to array: inout [Int]) async {
    await Task.yield()
    array.append(1)
  }

  private nonisolated(nonsending) func change(_ card: inout Card?) async {
    await Task.yield()
    card?.tags.append(1)
  }
}

private final class ThreadForEachJob: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

// MARK: - Stores that form a cycle of initializers

private enum Farm: DispatchState {
  typealias RelatedStoreType = ChickenStore
}

private final class ChickenStore: Storable {
  let egg = EggStore.instantiate()

  func reduce(with _: Farm) {}
}

private final class EggStore: Storable {
  let chicken = ChickenStore.instantiate()

  func reduce(with _: Farm) {}
}

private final class ReadingStore: Storable {
  init() {
    Dispatcher.shared.read {}
  }

  func reduce(with _: Farm) {}
}

#if DEBUG
  @Suite(.timeLimit(.minutes(20)))
  struct CycleTests {
    @Test(.enabled(if: isThorough, "It takes long: run it with THOROUGH=1."))
    func observersThatSetEachOthersVariablesForeverTrapWithEachVariable() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (first, second, text) = (Variable(0), Variable(0), Variable(""))
        _ = first.observe { second.value = $0 &+ 1 }
        _ = second.observe { text.value = "\($0)" }
        _ = text.map { $0 + "!" }.observe { first.value = $0.count }
      }

      expectSentence(in: result, "Observers never settle", "A Variable<String>")
      let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(sentence.components(separatedBy: "A Variable<Int>").count == 3)
    }

    @Test func longFiniteChainOfWritesByAnObserverDoesNotTrapAsACycle() async {
      await #expect(processExitsWith: .success) {
        let number = Variable(0)
        _ = number.observe { if $0 < 200_000 { number.value = $0 + 1 } }
        #expect(number.value == 200_000)
      }
    }
  }

  /// Promise B14: `settled()` never waits for the task that calls it.
  @Suite(.timeLimit(.minutes(20)))
  struct SelfWaitTests {
    @Test func settledInAnEffectOfTheSameDispatcherTraps() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let effects = Effects()
        await effects.run { _ in await Dispatcher.shared.settled() }.value
      }

      expectSentence(
        in: result,
        "settled() waits for the task that calls it: The effect of FluxCapacitorTests/TrapTests.swift:"
      )
    }

    /// The task waits in `settled()` after or before the test puts the task into the bag.
    @Test(arguments: [false, true])
    func settledInATaskOfADustBusterTraps(isPutIntoTheBagLater: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [isPutIntoTheBagLater] in
        await SelfWaitTests.settleInATask(putIntoABagLater: isPutIntoTheBagLater)
      }

      expectSentence(
        in: result,
        "settled() waits for the task that calls it: The task of FluxCapacitorTests/TrapTests.swift:"
      )
    }

    @MainActor fileprivate static func settleInATask(putIntoABagLater isLater: Bool) async {
      let bag = DustBuster()
      let effects = Effects()
      // This work never ends, and so prevents the end of the wait.
      let (endless, continuation) = AsyncStream<Never>.makeStream()
      effects.run { _ in
        for await _ in endless {}
        continuation.finish()
      }
      let task = Task { await Dispatcher.shared.settled() }
      // The main actor runs the task until the task waits.
      if isLater { await Task.yield() }
      task.cleaned(by: bag)
      _ = await task.value
    }
  }
#endif

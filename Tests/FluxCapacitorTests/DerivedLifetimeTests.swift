import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

struct DerivedLifetimeTests {
  // Depth

  @Test(arguments: [1_000, 5_000])
  func deepChainOfDerivedConstantsComputesAndDeliversInConstantStackSpace(depth: Int) async {
    let tally = Tally()
    await inParallel(1, stackSize: 1 << 19) { _ in
      let source = Variable(1)
      let counted = Counted(tally)
      var end = Constant(source)
      for _ in 0..<depth { end = end.map { [counted] in counted.pass($0 + 1) } }
      #expect(end.value == depth + 1)
      source.value = 2
      #expect(end.value == depth + 2)

      let log = Log<Int>()
      let dust = end.observe { log.append($0) }
      source.value = 3
      #expect(source.observerCount == 1)
      dust.clean()

      #expect(log.entries == [depth + 2, depth + 3])
    }
    #expect(tally.value == 0)
  }

  // Lifetime

  @Test func derivedConstantCleanedDuringATransactionIsFreedWhileTheLibraryHoldsNoLock() {
    let number = Variable(0)
    let distinct = number.removeDuplicates()
    let log = Log<Int>()
    let dust = distinct.observe { _ in }
    Dispatcher().transaction {
      number.value = 1
      let atEnd = AtEnd { log.append(distinct.value) }
      distinct.map { [atEnd] value in withExtendedLifetime(atEnd) { value } }.observe { _ in }
        .clean()
      number.value = 2
    }
    #expect(log.entries == [2])
    dust.clean()
  }

  @Test func inPlaceMutationCopiesNoElementsWhileADerivedConstantIsObserved() {
    let list = Variable<[Int]>([])
    let log = Log<Int>()
    let dust = list.map(\.count).observe { log.append($0) }
    list.modify { $0.reserveCapacity(100) }
    list.value.append(0)
    let address = list.modify { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }

    for number in 1..<100 { list.value.append(number) }

    #expect(log.entries.last == 100)
    #expect(
      list.modify { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } } == address
    )
    dust.clean()
  }

  @Test func unreferencedDerivedConstantsDeliverChangesUntilTheirObserversDustIsCleaned() {
    let tally = Tally()
    let source = Variable(1)
    let log = Log<Int>()
    let counted = Counted(tally)
    let dust = source.map { [counted] in counted.pass($0 * 2) }
      .removeDuplicates()
      .map { [counted] in counted.pass($0 + 1) }
      .observe { log.append($0) }
    withExtendedLifetime(counted) {}

    source.value = 2
    #expect(log.entries == [3, 5])
    dust.clean()
    source.value = 3

    #expect(log.entries == [3, 5])
  }

  @Test func derivedConstantsAreFreedWhenTheirLastObservationIsCleaned() {
    let tally = Tally()
    let source = Variable(1)
    let dusts = DustBuster()
    do {
      let counted = Counted(tally)
      let left = source.map { [counted] in counted.pass($0 * 2) }
      let right = left.map { [counted] in counted.pass($0 * 3) }
      for _ in 0..<3 {
        Constant.combine(left, right.removeDuplicates()).observe { [counted] _ in counted.pass(()) }
          .cleaned(by: dusts)
      }
      source.value = 2
    }
    #expect(tally.value == 1)

    dusts.clean()

    #expect(tally.value == 0)
  }

  @Test func derivedConstantWithoutObserversComputesNothingUntilAnObserverSubscribesAgain() {
    let source = Variable(1)
    let count = Tally()
    let doubled = source.map(counting: count) { $0 * 2 }
    let log = Log<Int>()
    doubled.observe { log.append($0) }.clean()

    source.value = 2
    #expect(count.value == 1)
    let dust = doubled.observe { log.append($0) }
    source.value = 3

    #expect(log.entries == [2, 4, 6])
    #expect(count.value == 3)
    dust.clean()
  }

  @Test func observerThatCleansItselfDuringACallFreesItsDerivedConstant() {
    let tally = Tally()
    let source = Variable(0)
    let dusts = DustBuster()
    let log = Log<Int>()
    do {
      let counted = Counted(tally)
      source.map { [counted] in counted.pass($0) }.observe { value in
        log.append(value)
        if value == 1 { dusts.clean() }
      }.cleaned(by: dusts)
    }

    source.value = 1
    source.value = 2

    #expect(log.entries == [0, 1])
    #expect(tally.value == 0)
  }

  @Test func observerOfADerivedConstantDoesNotKeepTheStoreAlive() {
    let dispatcher = Dispatcher()
    let log = Log<Int>()
    weak var store: CounterStore?
    let dust = withDispatcher(dispatcher) {
      let made = CounterStore.instantiate()
      store = made
      return made.count.map { $0 + 1 }.observe { log.append($0) }
    }

    #expect(store == nil)
    dust.clean()
  }

  @Test func writeInsideAMapTransformIsDeliveredAfterTheChangeThatRanTheTransform() {
    let source = Variable(0)
    let log = Log<Int>()
    let dust = source.map { value in
      if value == 1 { source.value = 2 }
      return value
    }.observe { log.append($0) }

    source.value = 1

    #expect(log.entries == [0, 1, 2])
    dust.clean()
  }

  @Test func constantDerivedInsideAnObserverDeliversEachValueOnce() {
    let source = Variable(1)
    let doubled = source.map { $0 * 2 }
    let log = Log<String>()
    let dusts = DustBuster()
    doubled.observe { value in
      log.append("doubled \(value)")
      if value == 4 {
        source.value = 3
        doubled.map { $0 + 1 }.observe { log.append("more \($0)") }.cleaned(by: dusts)
      }
    }.cleaned(by: dusts)

    source.value = 2
    source.value = 4

    #expect(
      log.entries
        == ["doubled 2", "doubled 4", "more 7", "doubled 6", "doubled 8", "more 9"]
    )
  }
}

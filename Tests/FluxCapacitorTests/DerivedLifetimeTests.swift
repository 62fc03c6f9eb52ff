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

  /// The number of paths to the variable doubles with each combination.
  @Test func chainOfCombinationsIsObservedInATransaction() {
    let source = Variable(1)
    let distinct = source.removeDuplicates()
    let former = distinct.observe { _ in }
    var end = distinct
    for _ in 0..<60 { end = Constant.combine(end, end).map { max($0, $1) } }

    let log = Log<Int>()
    Dispatcher.shared.transaction {
      source.value = 2
      _ = end.observe { log.append($0) }
    }
    source.value = 3

    #expect(log.entries == [2, 3])
    former.clean()
  }

  // Lifetime

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

  @Test func firstValueOfAnObservedConstantIsReleasedWithTheNextChange() {
    let (number, tally) = (Variable(0), Tally())
    let objects = number.map { _ in Counted(tally) }
    let dust = objects.map { $0 }.observe { _ in }

    number.value = 1

    #expect(tally.value == 1)
    dust.clean()
  }

  @Test func cleanedConstantKeepsNoValueOfItsLastObservationAfterARead() {
    let tally = Tally()
    let (a, b) = (Variable<Counted?>(Counted(tally)), Variable<Counted?>(Counted(tally)))
    let same = a.map { $0 }
    let (both, mixed) = (Constant.combine(a, b), Constant.combine(same, b).map { $0 })
    same.observe { _ in }.clean()
    both.observe { _ in }.clean()
    mixed.observe { _ in }.clean()

    (a.value, b.value) = (nil, nil)
    _ = (same.value, both.value, mixed.value)

    #expect(tally.value == 0)
  }

  @Test func observedConstantKeepsNoValueOfAVariableFromWhichItDoesNotDerive() {
    let tally = Tally()
    let (v, w, other) = (Variable(0), Variable(0), Variable<Counted?>(Counted(tally)))
    let part = Constant.combine(v, w).map { $0.0 }
    let dust = Constant.combine(part, other).observe(ignoreFirst: true) { _ in }

    other.value = nil

    #expect(tally.value == 0)
    dust.clean()
  }

  @Test func observationsInsideTransactionsLeaveNoMemoryAllocated() async {
    await #expect(processExitsWith: .success) {
      let (v, w) = (Variable(0), Variable(0))
      let both = Constant.combine(v, w)
      let dust = v.observe { _ in }
      func observe(_ count: Int) {
        for number in 0..<count {
          Dispatcher.shared.transaction {
            v.value = number
            both.map { $0.0 }.observe { _ in }.clean()
          }
        }
      }
      observe(1_000)
      let before = residentBytes()

      observe(4_000)

      // The nodes of 4,000 constants would take at least 800 KB.
      #expect(residentBytes() - before < 500_000)
      dust.clean()
    }
  }

  /// The observer needs no first value, so the constant starts with the first change.
  @Test(arguments: [false, true])
  func valueReadBeforeTheFirstChangeIsReleased(isCombined: Bool) {
    let tally = Tally()
    let (source, other) = (Variable<Counted?>(Counted(tally)), Variable(0))
    let map = source.map { $0 }
    let both = Constant.combine(map, other).map { $0.0 }
    let constant = isCombined ? both : map
    _ = constant.value
    let dust = constant.observe(ignoreFirst: true) { _ in }

    for _ in 1...3 { source.value = nil }

    #expect(tally.value == 0)
    dust.clean()
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
}

import FluxCapacitor
import FluxCapacitorTestSupport
import Observation
import Testing

struct TrackingTests {
  private let variable = Variable(0)
  private var constant: Constant<Int> { variable.constant }
  private let log = Log<Int>()

  @Test func observationTrackingCallsOnChangeOnceWhenATrackedConstantChanges() {
    let other = Variable(0)

    track(constant) { [constant, log] in log.append(constant.value) }
    other.value = 1
    #expect(log.entries.isEmpty)
    variable.value = 1
    variable.value = 2

    #expect(log.entries == [1])
  }

  @Test func eachObservationTrackingOfAConstantCallsOnChangeOnce() {
    let log = Log<String>()

    for name in ["first", "second"] {
      track(constant) { log.append(name) }
    }
    variable.value = 1
    track(constant) { log.append("third") }
    variable.value = 2

    #expect(log.entries.sorted() == ["first", "second", "third"])
  }

  @Test func constantReadTwiceInOneTrackingCallsOnChangeOnce() {
    let variable = Variable(0)
    let unique = variable.removeDuplicates()
    let log = Log<Int>()
    let dust = unique.observe { _ in }
    @Sendable func trackTwice() {
      withObservationTracking {
        _ = (unique.value, unique.value)
      } onChange: {
        log.append(unique.value)
        trackTwice()
      }
    }

    Dispatcher().transaction {
      variable.value = 1
      trackTwice()
      variable.value = 2
    }

    #expect(log.entries == [2])
    dust.clean()
  }

  @Test func transactionOnTrackedConstantsCallsOnChangeOnceAfterTheTransactionEnds() {
    let first = Variable(0)
    let second = Variable(0)
    let constants = [Constant(first), Constant(second)]
    let log = Log<[Int]>()

    withObservationTracking {
      _ = constants.map(\.value)
    } onChange: {
      log.append(constants.map(\.value))
    }
    Dispatcher().transaction {
      first.value = 1
      second.value = 1
    }

    #expect(log.entries == [[1, 1]])
  }

  @Test func observationTrackingOfADerivedConstantReportsEachChangeOfItsVariable() {
    let variable = Variable(1)
    let parity = variable.map { $0 % 2 }.removeDuplicates()

    track(parity) { [log] in log.append(parity.value) }
    variable.value = 4
    variable.value = 3

    #expect(log.entries == [0])
  }

  @Test func observationTrackingIgnoresReadsOfAVariable() {
    withObservationTracking {
      _ = variable.value
    } onChange: { [log] in
      log.append(1)
    }
    variable.value = 1

    #expect(log.entries.isEmpty)
  }

  @Test func observationTrackingKeepsNoConstantAlive() {
    let tally = Tally()
    do {
      let variable = Variable(Counted(tally))
      let constant = Constant(variable)
      let derived = constant.map { [$0] }.map { $0 }
      track(constant)
      track(derived)
      variable.value = Counted(tally)
    }

    #expect(tally.value == 0)
  }

  @Test func freedDerivedConstantThatWasTrackedComputesNothing() {
    let count = Tally()
    do {
      let derived = variable.map(counting: count) { $0 }
      track(derived)
    }
    #expect(count.value == 1)

    variable.value = 1

    #expect(count.value == 1)
  }

  @Test(.timeLimit(.minutes(20)))
  func observationsSequenceOfConstantsReceivesTheLastValues() async {
    let doubled = constant.map { $0 * 2 }
    let sequence = Observations { [constant.value, doubled.value] }

    var last: [Int] = []
    for await value in sequence {
      last = value
      if value[0] == 10 { break }
      Dispatcher().transaction { variable.value = value[0] + 1 }
    }

    #expect(last == [10, 20])
  }

  @Test(.oneAtATime) func observationTrackingOnOneThreadDoesNotTrackReadsOnAnotherThread() async {
    let other = Constant(Variable(0))

    await inParallel(2) { thread in
      for _ in 0..<stress(20_000) {
        guard thread == 0 else {
          track(other)
          continue
        }
        let variable = Variable(0)
        let count = Tally()
        let counting = variable.map(counting: count) { $0 }
        _ = counting.value
        variable.value = 1
        // The write computes nothing, because `counting` is not observed.
        #expect(count.value == 1)
      }
    }
  }

  @Test(.oneAtATime, .timeLimit(.minutes(20)))
  func everyObservationTrackingCallsOnChangeDespiteConcurrentWrites() async {
    let doubled = constant.map { $0 * 2 }
    let noted = Tally()

    await inParallel(8) { thread in
      for _ in 0..<stress(25_000) {
        if thread < 4 {
          variable.value += 1
        } else {
          // Observation can call `onChange` twice if a write happens while the tracking starts.
          let isNoted = Flag()
          track(thread < 6 ? doubled : Constant.combine(constant, doubled).map(+)) {
            if isNoted.set() { noted.add() }
          }
        }
      }
    }
    variable.value = -2

    #expect(noted.value == stress(100_000))
  }
}

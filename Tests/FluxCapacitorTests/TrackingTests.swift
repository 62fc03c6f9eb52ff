import FluxCapacitor
import FluxCapacitorTestSupport
import Observation
import Testing

struct TrackingTests {
  @Test func observationTrackingCallsOnChangeOnceWhenATrackedConstantChanges() {
    let variable = Variable(0)
    let constant = Constant(variable)
    let other = Variable(0)
    let log = Log<Int>()

    withObservationTracking {
      #expect(constant.value == 0)
    } onChange: {
      log.append(constant.value)
    }
    other.value = 1
    #expect(log.entries.isEmpty)
    variable.value = 1
    variable.value = 2

    #expect(log.entries == [1])
  }

  @Test func eachObservationTrackingOfAConstantCallsOnChangeOnce() {
    let variable = Variable(0)
    let constant = Constant(variable)
    let log = Log<String>()

    for name in ["first", "second"] {
      withObservationTracking {
        _ = constant.value
      } onChange: {
        log.append(name)
      }
    }
    variable.value = 1
    withObservationTracking {
      _ = constant.value
    } onChange: {
      log.append("third")
    }
    variable.value = 2

    #expect(log.entries.sorted() == ["first", "second", "third"])
  }

  @Test func trackedConstantReadTwiceDuringATransactionCallsOnChangeOnce() {
    let variable = Variable(0)
    let unique = variable.removeDuplicates()
    let log = Log<Int>()
    let dust = unique.observe { _ in }
    @Sendable func track() {
      withObservationTracking {
        _ = (unique.value, unique.value)
      } onChange: {
        log.append(unique.value)
        track()
      }
    }

    Dispatcher().transaction {
      variable.value = 1
      track()
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
    let log = Log<Int>()

    withObservationTracking {
      _ = parity.value
    } onChange: {
      log.append(parity.value)
    }
    variable.value = 4
    variable.value = 3

    #expect(log.entries == [0])
  }

  @Test func observationTrackingIgnoresReadsOfAVariable() {
    let variable = Variable(0)
    let log = Log<Int>()

    withObservationTracking {
      _ = variable.value
    } onChange: {
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
      withObservationTracking {
        _ = (constant.value, derived.value)
      } onChange: {
      }
      variable.value = Counted(tally)
    }

    #expect(tally.value == 0)
  }

  @Test func observationTrackingIsReleasedAfterItsConstantIsFreed() {
    let tally = Tally()
    for _ in 0..<10_000 {
      let constant = Constant(Variable(0))
      let counted = Counted(tally)
      withObservationTracking {
        _ = constant.value
      } onChange: {
        counted.pass(())
      }
    }

    #expect(tally.value == 0)
  }

  @Test func readTrackedDuringAnotherThreadsTransactionCallsOnChangeWhenTheTransactionEnds() {
    let variable = Variable(1)
    let unique = variable.removeDuplicates()
    let noted = Tally()
    Dispatcher().transaction {
      variable.value = 2
      Beside {
        withObservationTracking {
          #expect(unique.value == 2)
        } onChange: {
          noted.add()
        }
      }.join()
      variable.value = 1
    }

    #expect(noted.value == 1)
  }

  @Test func freedDerivedConstantThatWasTrackedComputesNothing() {
    let variable = Variable(0)
    let count = Tally()
    do {
      let derived = variable.map(counting: count) { $0 }
      withObservationTracking {
        _ = derived.value
      } onChange: {
      }
    }
    #expect(count.value == 1)

    variable.value = 1

    #expect(count.value == 1)
  }

  @Test(.timeLimit(.minutes(20)))
  func observationsSequenceOfConstantsReceivesTheLastValues() async {
    let variable = Variable(0)
    let constant = Constant(variable)
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
          withObservationTracking {
            _ = other.value
          } onChange: {
          }
          continue
        }
        let variable = Variable(0)
        let count = Tally()
        let counting = variable.map { value in
          count.add()
          return value
        }
        _ = counting.value
        variable.value = 1
        // The write computes nothing, because `counting` is not observed.
        #expect(count.value == 1)
      }
    }
  }

  @Test(.oneAtATime, .timeLimit(.minutes(20)))
  func everyObservationTrackingCallsOnChangeDespiteConcurrentWrites() async {
    let variable = Variable(0)
    let constant = Constant(variable)
    let doubled = constant.map { $0 * 2 }
    let noted = Tally()

    await inParallel(8) { thread in
      for _ in 0..<stress(25_000) {
        if thread < 4 {
          variable.value += 1
        } else {
          // Observation can call `onChange` twice if a write happens while the tracking starts.
          let isNoted = Flag()
          withObservationTracking {
            #expect(constant.value >= 0 && doubled.value >= 0)
          } onChange: {
            if isNoted.set() { noted.add() }
          }
        }
      }
    }
    variable.value = -2

    #expect(noted.value == stress(100_000))
  }
}

import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Foundation
import Observation
import Testing

/// B5: a body on the main queue misses no change, of whatever thread.
@Suite(.timeLimit(.minutes(20)))
struct MissedChangesTests {
  private let variable = Variable(0)
  private let log = Log<String>()

  @Test func viewShowsTheLastValueOfEachBurstOfWrites() async {
    let view = View { [variable] in variable.map(\.self).value }
    DispatchQueue.main.async { view.draw() }

    for burst in 1...300 {
      await inParallel(1) { [variable] _ in
        for number in 1...5 { variable.value = burst * 10 + number }
      }
      // The first block notifies the view, and the second one draws it.
      for _ in 1...3 { await mainQueueIsEmpty() }
      #expect(await MainActor.run { view.shown } == burst * 10 + 5)
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func observationsOnTheMainActorEndWithTheLastValue() async {
    let (variable, last) = (variable, 50_000)
    let consumer = Task { @MainActor in
      for await value in Observations({ variable.constant.value }) where value == last { break }
    }

    await inParallel(1) { _ in for value in 1...last { variable.value = value } }

    await consumer.value
  }

  @MainActor @Test func bodyIsNotifiedOfAChangeThatItMakesItself() async {
    withObservationTracking {
      _ = variable.constant.value
      variable.value = 1
    } onChange: { [log] in
      log.append("changed")
    }
    await mainQueueIsEmpty()

    #expect(log.entries == ["changed"])
  }

  /// Observation releases the closures of a deallocated registrar under the registrar's lock.
  @MainActor @Test func variableThatDiesInADeinitNotifiesAfterTheDeinit() {
    do {
      let variable = Variable(0)
      do {
        let other = Variable(0)
        withObservationTracking {
          _ = variable.constant.value
        } onChange: {
          withExtendedLifetime(other) {}
        }
        withObservationTracking {
          _ = (variable.constant.value, other.constant.value)
          other.value = 1
        } onChange: { [log] in
          log.append("changed")
        }
      }
    }

    #expect(log.entries == ["changed"])
  }

  @Test func trackingThatIsInstalledBeforeTheChangeIsNotifiedOnce() async {
    for round in 1...3 {
      track(variable.constant) { [log] in log.append("\(round)") }
      variable.value += 1
      await mainQueueIsEmpty()
    }

    #expect(log.entries == ["1", "2", "3"])
  }

  @MainActor @Test func trackingThatMissesChangesIsNotifiedOnceOnTheMainQueue() async {
    let other = Variable(0)
    withObservationTracking {
      _ = (variable.constant.value, other.constant.value)
      inParallel(3) { [variable] _ in
        variable.value += 1
        other.value += 1
      }
    } onChange: { [log] in
      dispatchPrecondition(condition: .onQueue(.main))
      log.append("changed")
    }
    #expect(log.entries.isEmpty)

    await mainQueueIsEmpty()
    variable.value += 1
    await mainQueueIsEmpty()

    #expect(log.entries == ["changed"])
  }

  @Test func nothingGrowsWhileTheMainQueueIsBlocked() async {
    await #expect(processExitsWith: .success) {
      let (blocked, end) = (Gate(), Gate())
      DispatchQueue.main.async {
        blocked.open()
        end.wait()
      }
      blocked.wait()
      let tally = Tally()
      func missAChange() {
        let variable = Variable(Counted(tally))
        withObservationTracking {
          _ = variable.constant.value
          variable.value = Counted(tally)
        } onChange: {
        }
      }
      for _ in 1...5_000 { missAChange() }
      let before = residentBytes()

      for _ in 1...25_000 { missAChange() }

      #expect(tally.value == 0)
      #expect(residentBytes() - before < 1_000_000)
    }
  }
}

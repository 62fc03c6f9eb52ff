import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

/// Asynchronous sequences of values during writes from many threads.
///
/// If THOROUGH is set, each test performs about 200,000 operations for all policies together.
@Suite(.oneAtATime, .timeLimit(.minutes(20)))
struct ValuesStressTests {
  static let policies: [BufferingPolicy] = [
    .unbounded, .bufferingNewest(1), .bufferingNewest(10), .bufferingOldest(1),
    .bufferingOldest(10),
  ]

  @Test(arguments: policies)
  func consumersReceiveConcurrentWritesInOrderIncludingTheLastValue(policy: BufferingPolicy) async {
    let variable = Variable(0)
    let consumers = (0..<4).map { _ in
      Task {
        var values: [Int] = []
        for await value in variable.values(buffering: policy) {
          values.append(value)
          if value == stress(50_000) { break }
        }
        return values
      }
    }

    await inParallel(4) { _ in
      for _ in 0..<stress(12_500) { variable.value += 1 }
    }

    for consumer in consumers {
      let values = await consumer.value
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
      #expect(values.last == stress(50_000))
      if policy == .unbounded { #expect(values == Array(0...stress(50_000)).suffix(values.count)) }
    }
  }

  /// Two consumers answer each other, so each consumer waits before nearly every value.
  @Test(arguments: policies)
  func consumerThatBeginsToWaitMissesNoValueWrittenMeanwhile(policy: BufferingPolicy) async {
    let asked = Variable(0)
    let answered = Variable(0)
    let answerer = Task {
      for await value in asked.values(buffering: policy) {
        answered.value = value
        if value == stress(40_000) { break }
      }
    }
    let asker = Task {
      for await value in answered.values(buffering: policy) {
        if value == stress(40_000) { break }
        asked.value = value + 1
      }
    }

    await asker.value
    await answerer.value

    #expect(answered.value == stress(40_000))
  }

  @Test(arguments: policies)
  func cancellingConsumersWhileValuesArriveLeaksNoValues(policy: BufferingPolicy) async {
    let tally = Tally()
    let variables = (0..<stress(10_000)).map { _ in Variable(Counted(tally)) }
    let consumers = variables.enumerated().map { index, variable in
      Task {
        var count = 0
        for await _ in variable.values(buffering: policy) {
          count += 1
          if index.isMultiple(of: 4), count == 2 { break }
        }
      }
    }

    await inParallel(2) { thread in
      for (variable, consumer) in zip(variables, consumers) {
        if thread == 0 {
          for _ in 0..<10 { variable.value = Counted(tally) }
        } else {
          consumer.cancel()
        }
      }
    }
    for consumer in consumers { await consumer.value }

    // Each variable retains its current value.
    #expect(tally.value == variables.count)
  }
}

import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

/// `await clock.advance(by:)` waits for what it has woken, however busy the machine is.
@Suite(.timeLimit(.minutes(20)))
struct ManualClockStressTests {
  private let rounds = stress(3_000)

  private actor Counter {
    private(set) var count = 0
    func add() { count += 1 }

    func addAndYield() async {
      count += 1
      await Task.yield()
    }
  }

  @Test func documentedExampleHasOneResult() async throws {
    for _ in 0..<rounds {
      let (clock, seconds) = (ManualClock(), Variable<[Duration]>([]))
      let ticks = Task {
        for _ in 1...5 {
          try await clock.sleep(for: .seconds(1))
          seconds.value.append(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(seconds.value == (1...5).map { .seconds($0) })
      try await ticks.value
    }
  }

  @Test func allTasksOfOneDeadlineAreAwakeBeforeTheNext() async throws {
    for _ in 0..<rounds / 5 {
      let (clock, log) = (ManualClock(), Log<Duration>())
      let tasks = (1...20).map { _ in
        Task {
          for _ in 1...2 {
            try await clock.sleep(for: .seconds(1))
            log.append(clock.now.offset)
          }
        }
      }
      await clock.advance(by: .seconds(2))
      let right =
        [Duration](repeating: .seconds(1), count: 20)
        + [Duration](repeating: .seconds(2), count: 20)
      #expect(log.entries == right)
      for task in tasks { try await task.value }
    }
  }

  /// The woken task goes on in other tasks, on actors and after yields, before it sleeps again.
  @Test func awokenWorkMayTakeAnyWay() async throws {
    for round in 0..<rounds {
      let (clock, counter, log) = (ManualClock(), Counter(), Log<Duration>())
      let (stream, elements) = AsyncStream<Duration>.makeStream()
      let consumer = Task {
        for await element in stream {
          await Task.yield()
          log.append(element)
        }
      }
      let ticks = Task {
        for _ in 1...3 {
          async let pause: Void = clock.sleep(for: .milliseconds(500))
          try await pause
          switch round % 8 {
          case 0: await counter.add()
          case 1: await Task.detached { await counter.add() }.value
          case 2: for _ in 1...10 { await Task.yield() }
          case 3:
            await withTaskGroup { group in for _ in 1...3 { group.addTask { await counter.add() } }
            }
          case 4: await Task { @MainActor in await counter.add() }.value
          case 5:
            await MainActor.run { Task { @MainActor in _ = (1...10_000).reduce(0, &+) } }.value
          case 6:
            await MainActor.run {
              Task { @MainActor in for _ in 1...4 { await Task.yield() } }
            }.value
          default: await MainActor.run {}
          }
          elements.yield(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(2))
      #expect(
        log.entries == [.milliseconds(500), .seconds(1), .milliseconds(1_500)],
        "\(round % 8)"
      )
      try await ticks.value
      elements.finish()
      await consumer.value
    }
  }

  /// Other tasks keep the default executor busy, so a job that the clock doesn't know of runs too late.
  @Test func awokenWorkMayYieldAfterAnActor() async {
    let isOver = Variable(false)
    let others = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
      Task.detached {
        while !isOver.value {
          _ = (1...100_000).reduce(0, &+)
          await Task.yield()
        }
      }
    }
    for way in 0..<7 * stress(3) {
      let (clock, counter, log) = (ManualClock(), Counter(), Log<Duration>())
      let ticks = Task {
        for _ in 1...5 {
          try await clock.sleep(for: .seconds(1))
          switch way % 7 {
          case 0: await counter.addAndYield()
          case 1: await Task.detached { await counter.addAndYield() }.value
          case 2: await Task { @MainActor in await counter.addAndYield() }.value
          case 3: await withTaskGroup { $0.addTask { await counter.addAndYield() } }
          case 4:
            async let addition: Void = counter.addAndYield()
            await addition
          case 5:
            await withTaskExecutorPreference(globalConcurrentExecutor) {
              await counter.addAndYield()
            }
          default:
            await withCheckedContinuation { continuation in
              Task {
                await counter.addAndYield()
                continuation.resume()
              }
            }
          }
          await counter.add()
          await Task.yield()
          log.append(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(log.entries == (1...5).map { .seconds($0) }, "\(way % 7)")
      ticks.cancel()
      _ = await ticks.result
    }
    isOver.value = true
    for other in others { await other.value }
  }

  @Test @MainActor func tasksOfTheMainActorAreAwakeBeforeTheNextDeadline() async throws {
    for _ in 0..<rounds {
      let (clock, counter) = (ManualClock(), Counter())
      var instants: [Duration] = []
      let ticks = Task {
        for _ in 1...3 {
          try await clock.sleep(for: .seconds(1))
          await counter.add()
          instants.append(clock.now.offset)
        }
      }
      await clock.advance(by: .seconds(3))
      #expect(instants == [.seconds(1), .seconds(2), .seconds(3)])
      try await ticks.value
    }
  }

  @Test(.isolatedDispatcher)
  func childTaskOfAnOperationTicksWhileItsOperationSleeps() async {
    for _ in 0..<rounds {
      let (clock, effects, log) = (ManualClock(), Effects(), Log<Duration>())
      effects.run { _ in
        async let _: Void = {
          while true {
            try await clock.sleep(for: .milliseconds(500))
            log.append(clock.now.offset)
          }
        }()
        try? await clock.sleep(for: .milliseconds(1_250))
      }
      await Dispatcher.shared.settled(advancing: clock)
      #expect(log.entries == [.milliseconds(500), .seconds(1)])
    }
  }
}

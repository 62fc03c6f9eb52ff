import FluxCapacitor
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

/// B14: sessions by key are opened once on demand, and closed after their last use and an idle time.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct SessionsTests {
  private let clock = ManualClock()
  private let log = Log<String>()
  private let gate = FluxCapacitorTesting.Gate()

  @Test func placeAmongFormerWaitersRemovesNobody() {
    var (former, present) = (Waiters(), Waiters())
    let place = former.add()
    _ = former.takeAll()
    _ = present.add()

    present.remove(place)

    #expect(present.takeAll().count == 1)
  }

  private func sessions(
    idle: Duration = .seconds(5),
    open: @escaping @Sendable (String) async throws -> Void = { _ in },
    close: @escaping @Sendable (Room) async throws -> Void = { _ in }
  ) -> Sessions<String, Room> {
    Sessions(idle: idle, clock: clock) { [log] id, dispatcher in
      log.append("open \(id)")
      try await open(id)
      return Room(id, on: dispatcher)
    } close: { [log] room in
      try await close(room)
      log.append("close \(room.id) with \(room.store.count.value)")
    }
  }

  /// Waits until a constant has a value that fulfills a condition.
  private func first<Value: Sendable>(
    of constant: Constant<Value>,
    where isRight: (Value) -> Bool
  ) async {
    for await value in constant.values where isRight(value) { return }
  }

  // MARK: Uses

  @Test func concurrentUsesShareOneSession() async throws {
    let sessions = sessions { [gate] _ in await gate.pass() }
    let uses = (1...100).map { _ in
      Task { try await sessions.with("a") { ObjectIdentifier($0.dispatcher) } }
    }
    await gate.reached()
    gate.open()

    var dispatchers: Set<ObjectIdentifier> = []
    for use in uses { dispatchers.insert(try await use.value) }

    #expect(dispatchers.count == 1)
    #expect(log.entries == ["open a"])
    #expect(sessions.ids.value == ["a"])
    await sessions.shutDown()
  }

  @Test func closuresUseTheDispatcherOfTheirSession() async throws {
    let sessions = sessions(close: { room in
      #expect(Dispatcher.shared === room.dispatcher)
    })

    try await sessions.with("a") { room in
      #expect(Dispatcher.shared === room.dispatcher)
      CounterAction().invoke(.add(1))
    }
    try await sessions.with("b") { _ in CounterAction().invoke(.add(2)) }
    await sessions.shutDown()

    #expect(Set(log.entries.suffix(2)) == ["close a with 1", "close b with 2"])
  }

  @Test func resultAndErrorOfAUseReachTheCaller() async throws {
    let sessions = sessions()

    #expect(try await sessions.with("a") { _ in 88 } == 88)
    await #expect(throws: Failure("use")) {
      try await sessions.with("a") { _ in throw Failure("use") }
    }
    #expect(log.entries == ["open a"])
    await sessions.shutDown()
  }

  @Test func errorOfOpeningReachesEveryCallerAndTheNextCallTriesAgain() async throws {
    let mustFail = Variable(true)
    let sessions = sessions { [gate] _ in
      await gate.pass()
      if mustFail.value { throw Failure("open") }
    }
    let uses = (1...3).map { _ in Task { try await sessions.with("a") { $0.id } } }
    await gate.reached()
    gate.open()

    for use in uses { await #expect(throws: Failure("open")) { try await use.value } }
    #expect(sessions.ids.value == [])
    mustFail.value = false
    #expect(try await sessions.with("a") { $0.id } == "a")
    await sessions.shutDown()
  }

  @Test func cancelledCallerLeavesAndTheSessionIsClosedAfterTheIdleTime() async throws {
    let sessions = sessions { [gate] _ in await gate.pass() }
    let use = Task { try await sessions.with("a") { _ in } }
    await gate.reached()
    use.cancel()
    await #expect(throws: CancellationError.self) { try await use.value }
    gate.open()

    await first(of: sessions.ids) { $0 == ["a"] }
    await clock.sleeping()
    await clock.advance(by: .seconds(5))
    await first(of: sessions.ids) { $0 == [] }

    #expect(log.entries == ["open a", "close a with 0"])
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await sessions.with("a") { _ in }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(log.entries.count == 2)
  }

  // MARK: Idle time

  @Test func idleTimeCountsFromTheEndOfTheLastUse() async throws {
    let sessions = sessions()
    try await sessions.with("a") { _ in }
    await clock.sleeping()
    await clock.advance(by: .seconds(3))
    try await sessions.with("a") { _ in }
    await clock.advance(by: .seconds(2))
    await clock.sleeping()
    await clock.advance(by: .milliseconds(2_900))
    #expect(sessions.ids.value == ["a"])

    await clock.advance(by: .milliseconds(100))
    await first(of: sessions.ids) { $0 == [] }

    #expect(log.entries == ["open a", "close a with 0"])
  }

  @Test func sessionThatIsOverIsClosedAfterItsUsesAndALaterUseOpensANewOne() async throws {
    let overs = Log<Variable<Bool>>()
    let sessions = Sessions<String, Int>(idle: .seconds(60), clock: clock) { [log] id, _ in
      overs.append(Variable(false))
      log.append("open \(id)")
      return overs.entries.count - 1
    } close: { [log] number in
      log.append("close \(number)")
    } isOver: { number in
      overs.entries[number].constant
    }
    let use = Task { try await sessions.with("a") { _ in await gate.pass() } }
    await gate.reached()
    overs.entries[0].value = true
    let second = Task { try await sessions.with("a") { $0 } }
    while sessions.waiterCount == 0 { await Task.yield() }
    #expect(log.entries == ["open a"])
    gate.open()
    try await use.value
    #expect(try await second.value == 1)

    // An idle session is closed at once.
    overs.entries[1].value = true
    await first(of: sessions.ids) { $0 == [] }
    #expect(log.entries == ["open a", "close 0", "open a", "close 1"])
  }

  private final class Thing: Sendable {
    let isOver = Variable(false)
  }

  @Test func sessionThatIsOverIsReleasedAfterItsClose() async throws {
    let sessions = Sessions<String, Thing>(idle: .seconds(60), clock: clock) { _, _ in
      Thing()
    } close: { _ in
    } isOver: { thing in
      thing.isOver.constant
    }
    weak var thing: Thing?
    try await sessions.with("a") { thing = $0 }
    await clock.sleeping()
    try await sessions.with("a") { $0.isOver.value = true }
    while thing != nil { await Task.yield() }
    #expect(sessions.ids.value == [])
  }

  @Test func sessionThatIsOverIsReleasedAlthoughItCannotBeClosed() async throws {
    weak var thing: Thing?
    do {
      let sessions = Sessions<String, Thing>(idle: .seconds(60), clock: clock) { _, _ in
        Thing()
      } close: { _ in
        throw CancellationError()
      } isOver: { thing in
        thing.isOver.constant
      }
      try await sessions.with("a") { thing = $0 }
      #expect(await sessions.shutDown().count == 1)
    }
    while thing != nil { await Task.yield() }
  }

  @Test func closeOfASessionThatIsOverIsTriedAgainAfterASecond() async throws {
    let closes = Log<Void>()
    let sessions = Sessions<String, Thing>(idle: .seconds(60), clock: clock) { _, _ in
      Thing()
    } close: { _ in
      closes.append(())
      if closes.entries.count == 1 { throw CancellationError() }
    } isOver: { thing in
      thing.isOver.constant
    }
    try await sessions.with("a") { _ in }
    await clock.sleeping()
    try await sessions.with("a") { $0.isOver.value = true }
    await first(of: sessions.failures) { !$0.isEmpty }
    let use = Task { try await sessions.with("a") { $0.isOver.value } }
    await clock.sleeping()
    await clock.advance(by: .seconds(1))
    #expect(try await use.value == false)
    #expect(closes.entries.count == 2)
    await sessions.shutDown()
  }

  @Test func longUseKeepsTheSessionOpen() async throws {
    let sessions = sessions()
    try await sessions.with("a") { _ in }
    await clock.sleeping()
    let stream = Task { try await sessions.with("a") { _ in await gate.pass() } }
    await gate.reached()
    await clock.advance(by: .seconds(60))
    #expect(sessions.ids.value == ["a"])

    gate.open()
    try await stream.value
    await clock.sleeping()
    await clock.advance(by: .seconds(5))
    await first(of: sessions.ids) { $0 == [] }

    #expect(log.entries == ["open a", "close a with 0"])
  }

  @Test func useDuringACloseWaitsForItsEndAndOpensANewSession() async throws {
    let sessions = sessions(idle: .zero, close: { [gate] _ in await gate.pass() })
    try await sessions.with("a") { _ in CounterAction().invoke(.add(1)) }
    await gate.reached()

    let use = Task { try await sessions.with("a") { $0.store.count.value } }
    #expect(sessions.ids.value == ["a"])
    gate.open()

    #expect(try await use.value == 0)
    #expect(log.entries.prefix(3) == ["open a", "close a with 1", "open a"])
    await sessions.shutDown()
  }

  @Test func closeWaitsForTheEffectsOfTheSession() async throws {
    let sessions = sessions(idle: .zero)
    try await sessions.with("a") { [gate] room in
      room.effects.run { effect in
        await gate.pass()
        CounterAction().invoke(.add(1), as: effect)
      }
    }
    await gate.reached()
    #expect(sessions.ids.value == ["a"])
    gate.open()
    await first(of: sessions.ids) { $0 == [] }

    #expect(log.entries.last == "close a with 1")
  }

  // MARK: Failures

  @Test func sessionWhoseCloseFailsStaysOpenAndIsClosedLater() async throws {
    let mustFail = Variable(true)
    let sessions = sessions(close: { _ in if mustFail.value { throw Failure("close") } })
    try await sessions.with("a") { _ in CounterAction().invoke(.add(1)) }
    await clock.sleeping()
    await clock.advance(by: .seconds(5))
    await first(of: sessions.failures) { $0["a"] as? Failure == Failure("close") }

    #expect(try await sessions.with("a") { $0.store.count.value } == 1)
    mustFail.value = false
    await clock.sleeping()
    await clock.advance(by: .seconds(5))
    await first(of: sessions.ids) { $0 == [] }

    #expect(sessions.failures.value.isEmpty)
    #expect(log.entries == ["open a", "close a with 1"])
  }

  @Test func closeThatFailsIsRetriedOnceASecondHoweverOftenTheSessionIsUsed() async throws {
    let attempts = Log<Duration>()
    let sessions = sessions(
      idle: .zero,
      close: { [clock] _ in
        attempts.append(clock.now.offset)
        throw Failure("close")
      }
    )
    try await sessions.with("a") { _ in }
    await first(of: sessions.failures) { !$0.isEmpty }
    for _ in 1...20 { try await sessions.with("a") { _ in } }
    #expect(attempts.entries == [.zero])

    await clock.sleeping()
    await clock.advance(by: .seconds(1))
    while attempts.entries.count < 2 { await Task.yield() }
    for _ in 1...20 { try await sessions.with("a") { _ in } }

    #expect(attempts.entries == [.zero, .seconds(1)])
    await sessions.shutDown()
  }

  // MARK: Shutting down

  @Test func shutDownReturnsWhenASessionFailsToOpen() async throws {
    let sessions = sessions(open: { [gate] _ in
      await gate.pass()
      throw Failure("open")
    })
    let use = Task { try await sessions.with("a") { _ in } }
    await gate.reached()
    let shutDown = Task { await sessions.shutDown() }
    await #expect(throws: SessionsError.shutDown) {
      while true {
        await Task.yield()
        let caller = Task { try await sessions.with("a") { _ in } }
        caller.cancel()
        do { try await caller.value } catch is CancellationError {}
      }
    }
    gate.open()

    #expect(await shutDown.value.isEmpty)
    await #expect(throws: Failure("open")) { try await use.value }
  }

  @Test func shutDownWaitsForUsesAndRefusesLaterUses() async throws {
    let sessions = sessions()
    let use = Task {
      try await sessions.with("a") { _ in
        await gate.pass()
        CounterAction().invoke(.add(1))
      }
    }
    await gate.reached()
    try await sessions.with("b") { _ in }
    let shutDown = Task { await sessions.shutDown() }
    await first(of: sessions.ids) { $0 == ["a"] }
    await #expect(throws: SessionsError.shutDown) { try await sessions.with("c") { _ in } }
    gate.open()

    #expect(await shutDown.value.isEmpty)
    try await use.value
    #expect(log.entries.suffix(2) == ["close b with 0", "close a with 1"])
    #expect(sessions.ids.value == [])
  }

  @Test func shutDownReturnsTheSessionsThatItCannotClose() async throws {
    let mustFail = Variable(true)
    let sessions = sessions(
      close: { room in if mustFail.value, room.id == "a" { throw Failure("close") } }
    )
    for id in ["a", "b"] { try await sessions.with(id) { _ in } }

    let failures = await sessions.shutDown()
    #expect(failures as? [String: Failure] == ["a": Failure("close")])
    #expect(sessions.ids.value == ["a"])
    mustFail.value = false

    #expect(await sessions.shutDown().isEmpty)
    #expect(sessions.ids.value == [])
  }

  @Test func idleTimeMayBeLongerThanAClockCanMeasure() async throws {
    let sessions = Sessions<Int, Room>(idle: .seconds(Int64.max)) { Room("\($0)", on: $1) }

    for _ in 1...2 { try await sessions.with(1) { _ in } }

    #expect(await sessions.shutDown().isEmpty)
  }

  // MARK: Lifetime

  /// The task of an earlier idle time doesn't keep the session.
  @Test func sessionInUseDuringShutDownIsReleasedAfterItsClose() async throws {
    let rooms = Log<WeakRoom>()
    let sessions = Sessions<Int, Room>(idle: .seconds(5), clock: clock) { number, dispatcher in
      let room = Room("\(number)", on: dispatcher)
      rooms.append(WeakRoom(room))
      return room
    }
    try await sessions.with(1) { _ in }
    await clock.sleeping()
    let use = Task { try await sessions.with(1) { [gate] _ in await gate.pass() } }
    await gate.reached()
    let shutDown = Task { await sessions.shutDown() }
    while sessions.waiterCount == 0 { await Task.yield() }
    gate.open()
    try await use.value
    _ = await shutDown.value

    // If the session stays, this loop doesn't end.
    for room in rooms.entries { while !room.isReleased { await Task.yield() } }
  }

  @Test(arguments: ["opening", "closing", "shutting down"])
  func cancelledCallersLeaveNothing(while state: String) async throws {
    let isOpening = state == "opening"
    let sessions = sessions(
      idle: .zero,
      open: { [gate] _ in if isOpening { await gate.pass() } },
      close: { [gate] _ in if !isOpening { await gate.pass() } }
    )
    let use = Task { try await sessions.with("a") { _ in } }
    await gate.reached()
    // The first use waits for the opening.
    let others = isOpening ? 1 : 0
    while sessions.waiterCount < others { await Task.yield() }

    for _ in 1...100 {
      let caller = Task {
        if state == "shutting down" {
          await sessions.shutDown()
        } else {
          try await sessions.with("a") { _ in }
        }
      }
      while sessions.waiterCount == others { await Task.yield() }
      caller.cancel()
      _ = await caller.result
    }

    #expect(sessions.waiterCount == others)
    gate.open()
    try await use.value
    await sessions.shutDown()
  }

  @Test func sessionsOfManyKeysLeaveNothing() async throws {
    let rooms = Log<WeakRoom>()
    let sessions = Sessions<Int, Room>(idle: .zero) { number, dispatcher in
      let room = Room("\(number)", on: dispatcher)
      rooms.append(WeakRoom(room))
      return room
    }
    let count = stress(50_000) / 5
    for number in 1...count { try await sessions.with(number) { _ in } }
    await sessions.shutDown()

    #expect(rooms.entries.count == count)
    // The tasks that opened and closed the last sessions can still be ending. If a session stays, this loop doesn't end.
    for room in rooms.entries { while !room.isReleased { await Task.yield() } }
  }
}

private struct Failure: Error, Equatable {
  let text: String

  init(_ text: String) { self.text = text }
}

private final class Room: Sendable {
  let id: String
  let dispatcher: Dispatcher
  let store: CounterStore
  let effects = Effects()

  init(_ id: String, on dispatcher: Dispatcher) {
    self.id = id
    self.dispatcher = dispatcher
    store = CounterStore.instantiate(on: dispatcher)
  }
}

private final class WeakRoom: Sendable {
  private weak let room: Room?
  private weak let dispatcher: Dispatcher?

  init(_ room: Room) { (self.room, dispatcher) = (room, room.dispatcher) }

  var isReleased: Bool { room == nil && dispatcher == nil }
}

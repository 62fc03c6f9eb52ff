import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TimeTravelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func saved() async throws -> [String] {
    let keeper = try Keeper(directory: folder.url, dispatcher: Dispatcher())
    return try keeper.open(NotesStore.self).notes.value
  }

  @Test func restoredValueIsSavedLikeAChange() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    NotesAction().add("second")
    try await keeper.flush()

    circuits.undo()
    try await keeper.close()

    #expect(try await saved() == ["first"])
    withExtendedLifetime(store) {}
  }

  @Test func travelStartsTheTimer() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    await clock.sleeping()
    try await keeper.flush()

    circuits.undo()

    #expect(await clock.sleeping() == [.milliseconds(500)])
    withExtendedLifetime(store) {}
  }

  @Test func ignoredTravelKeepsTheValueBeforeTheTravel() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock(), savesTimeTravel: false)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    try await keeper.flush()
    NotesAction().add("second")

    circuits.undo()
    circuits.undo()
    #expect(store.notes.value == [])
    try await keeper.close()

    #expect(try await saved() == ["first", "second"])
  }

  @Test func reduceAfterAnIgnoredTravelIsSaved() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock(), savesTimeTravel: false)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    NotesAction().add("second")

    circuits.undo()
    NotesAction().add("third")
    try await keeper.close()

    #expect(try await saved() == ["first", "third"])
    withExtendedLifetime(store) {}
  }

  @Test func reduceAfterAnIgnoredTravelStartsTheTimer() async throws {
    let clock = ManualClock()
    let keeper = try Keeper(directory: folder.url, clock: clock, savesTimeTravel: false)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    await clock.sleeping()
    try await keeper.flush()

    circuits.undo()
    NotesAction().add("second")

    #expect(await clock.sleeping() == [.milliseconds(500)])
    withExtendedLifetime(store) {}
  }

  @Test func transactionDoesNotEndAnIgnoredTravel() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock(), savesTimeTravel: false)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")
    NotesAction().add("second")

    Dispatcher.shared.transaction { _ = circuits.undo() }
    Dispatcher.shared.transaction {}
    try await keeper.flush()
    #expect(try folder.contains("second"))

    NotesAction().add("third")
    try await keeper.close()
    #expect(try await saved() == ["first", "third"])
    withExtendedLifetime(store) {}
  }

  @Test func travelForthAndBackKeepsTheValueBeforeTheTravel() async throws {
    let keeper = try Keeper(directory: folder.url, clock: ManualClock(), savesTimeTravel: false)
    let store = try keeper.open(NotesStore.self)
    let circuits = TimeCircuits()
    NotesAction().add("first")

    circuits.undo()
    circuits.redo()
    try await keeper.close()

    #expect(try await saved() == ["first"])
    withExtendedLifetime(store) {}
  }
}

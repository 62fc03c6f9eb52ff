import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Testing

@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct TimeTravelTests {
  private let folder: TemporaryFolder
  private let clock = ManualClock()
  private let circuits = TimeCircuits()

  init() throws { folder = try TemporaryFolder() }

  private func open(savesTimeTravel: Bool) throws -> (Keeper, NotesStore) {
    let keeper = try Keeper(directory: folder.url, clock: clock, savesTimeTravel: savesTimeTravel)
    return (keeper, try keeper.open(NotesStore.self))
  }

  /// Closes a keeper, and returns the notes that another keeper restores.
  private func notes(savedBy keeper: Keeper) async throws -> [String] {
    try await keeper.close()
    let next = try Keeper(directory: folder.url, dispatcher: Dispatcher())
    return try next.open(NotesStore.self).notes.value
  }

  @Test func travelStartsTheTimer() async throws {
    let (keeper, store) = try open(savesTimeTravel: true)
    NotesAction().add("first")
    NotesAction().add("second")
    await clock.sleeping()
    try await keeper.flush()

    circuits.undo()

    #expect(await clock.sleeping() == [.milliseconds(500)])
    #expect(try await notes(savedBy: keeper) == ["first"])
    withExtendedLifetime(store) {}
  }

  @Test func ignoredTravelKeepsTheValueBeforeTheTravel() async throws {
    let (keeper, store) = try open(savesTimeTravel: false)
    NotesAction().add("first")
    try await keeper.flush()
    NotesAction().add("second")

    for _ in 1...3 { circuits.undo() }

    #expect(store.notes.value == [])
    #expect(try await notes(savedBy: keeper) == ["first", "second"])
  }

  @Test func reduceAfterAnIgnoredTravelIsSaved() async throws {
    let (keeper, store) = try open(savesTimeTravel: false)
    NotesAction().add("first")
    NotesAction().add("second")
    await clock.sleeping()

    circuits.undo()
    NotesAction().add("third")
    try await keeper.flush()
    #expect(try !folder.contains("second") && folder.contains("third"))

    circuits.undo()
    NotesAction().add("fourth")
    #expect(await clock.sleeping() == [.milliseconds(500)])
    #expect(try await notes(savedBy: keeper) == ["first", "fourth"])
    withExtendedLifetime(store) {}
  }

  @Test func transactionDoesNotEndAnIgnoredTravel() async throws {
    let (keeper, store) = try open(savesTimeTravel: false)
    NotesAction().add("first")
    NotesAction().add("second")

    Dispatcher.shared.transaction { _ = circuits.undo() }
    Dispatcher.shared.transaction {}
    try await keeper.flush()
    #expect(try folder.contains("second"))

    NotesAction().add("third")
    #expect(try await notes(savedBy: keeper) == ["first", "third"])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: [false, true])
  func ignoredTravelThatChangesNothingKeepsNoValue(changesAnotherStore: Bool) async throws {
    let (keeper, store) = try open(savesTimeTravel: false)
    let counter = CounterStore.instantiate()
    if changesAnotherStore { Dispatcher.shared.dispatch(Dispatcher.Counter.add(1)) }

    circuits.undo()
    Dispatcher.shared.transaction { store.changeDraftDirectly("1.21 gigawatts") }
    try await keeper.close()

    #expect(counter.count.value == 0)
    #expect(try folder.contains("1.21 gigawatts"))
  }

  @Test func travelForthAndBackKeepsTheValueBeforeTheTravel() async throws {
    let (keeper, store) = try open(savesTimeTravel: false)
    NotesAction().add("first")

    circuits.undo()
    circuits.redo()

    #expect(try await notes(savedBy: keeper) == ["first"])
    withExtendedLifetime(store) {}
  }
}

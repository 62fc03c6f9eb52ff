import FluxCapacitor

/// Tests the changes that states make in a store: exactly these variables change, to exactly these
/// values, in this order.
///
/// ```swift
/// let tester = StoreTester(CounterStore.self)
/// tester.invoke(.add(2)) {
///   Change(\.count, to: 2)
/// }
/// tester.invoke(.add(0))
/// ```
///
/// A change that isn't listed fails the test, and so does a listed change that doesn't happen. The
/// failure shows the difference. The tester compares all variables of the store. This includes
/// private variables, and variables in the store's structs, enums, tuples, optionals, arrays and
/// dictionaries, but not the variables of other objects. You may list a derived constant, anywhere
/// in the list, but you don't have to.
public final class StoreTester<Store: Storable>: Sendable {
  /// The changes that a tester compares with the listed ones.
  public enum Strictness: Sendable {
    /// Every change.
    case exact

    /// Only the listed changes, in their order. Other changes may happen.
    case relaxed
  }

  /// The store under test.
  public let store: Store

  private let dispatcher: Dispatcher
  private let strictness: Strictness
  private let contents: Unchecked<StoreContents>
  private let recording = Recording<RecordedChange>()
  private let dustBuster = DustBuster()

  /// Creates a tester of the live store of a type, and the store itself if it doesn't exist yet.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - strictness: Whether changes that aren't listed fail the test.
  public convenience init(_ type: Store.Type, _ strictness: Strictness = .exact) {
    self.init(type.instantiate(), strictness)
  }

  /// Creates a tester of a store.
  ///
  /// - Parameters:
  ///   - store: The store, registered with `Dispatcher.shared`.
  ///   - strictness: Whether changes that aren't listed fail the test.
  public init(_ store: Store, _ strictness: Strictness = .exact) {
    self.store = store
    self.strictness = strictness
    dispatcher = .shared
    let contents = StoreContents(of: store)
    self.contents = Unchecked(contents)
    for item in contents.items {
      item.value.observeAny { [recording, name = item.name] value in
        recording.note(RecordedChange(name: name, value: value))
      }
      .cleaned(by: dustBuster)
    }
  }

  /// Invokes a state, and expects the listed changes.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - changes: The changes, in the order in which the reduce first sets the variables. Setting a
  ///     variable to its current value is not a change.
  ///   - fileID: Where a failure is reported: by default, at the call.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  public func invoke(
    _ state: Store.DispatchStateType,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    @ListBuilder<Change<Store>> changes: () -> [Change<Store>] = { [] }
  ) {
    let before = Snapshot(of: contents.value, startingAt: recording.all.count)
    dispatcher.dispatch(state)
    expect(
      changes(),
      since: before,
      after: shownState(state),
      at: Place(fileID, filePath, line, column)
    )
  }

  /// Expects the listed changes from an operation, such as an action that invokes several states.
  ///
  /// ```swift
  /// await tester.expect {
  ///   Change(\.isFetching, to: true)
  ///   Change(\.names, to: ["octocat/FluxCapacitor"])
  ///   Change(\.isFetching, to: false)
  /// } when: {
  ///   action.fetch("octocat")
  ///   await Dispatcher.shared.settled()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - changes: The changes, in the order in which they are delivered.
  ///   - operation: The operation that makes them. The tester compares them when the operation has
  ///     ended.
  ///   - isolation: The actor of the caller.
  ///   - fileID: Where a failure is reported: by default, at the call.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  public func expect(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    @ListBuilder<Change<Store>> _ changes: () -> [Change<Store>],
    when operation: () async throws -> Void
  ) async rethrows {
    let before = Snapshot(of: contents.value, startingAt: recording.all.count)
    try await operation()
    expect(
      changes(),
      since: before,
      after: "the operation",
      at: Place(fileID, filePath, line, column)
    )
  }

  private func expect(
    _ expected: [Change<Store>],
    since before: Snapshot,
    after cause: String,
    at place: Place
  ) {
    let happened = before.changes(in: recording.all)
    let difference = Difference(
      expected: expected.map { change in
        let name = name(of: change.property)
        return Difference.Expectation(
          name: name,
          value: change.value,
          line: change.line,
          isKnown: contents.value.item(named: name) != nil
        )
      },
      happened: happened,
      names: contents.value.items.map(\.name),
      isExact: strictness == .exact,
      isDerived: { [contents] name in
        contents.value.items.contains { $0.name == name && $0.value.isDerived }
      }
    )
    if let text = difference.text {
      place.fail("\(Store.self) after \(cause):\(text)\(dispatcher.hintAtUnsettled)")
    }
  }

  private func name(of property: Change<Store>.Property) -> String {
    switch property {
    case .named(let name): contents.value.item(named: name)?.name ?? name
    case .published(let value): contents.value.item(for: value(store))?.name ?? "?"
    }
  }
}

/// A value that the observer of a variable has received.
struct RecordedChange: Sendable {
  let name: String
  let value: any Sendable
}

/// The values of a store's variables at one time.
struct Snapshot {
  private let values: [String: any Sendable]
  private let start: Int

  init(of contents: StoreContents, startingAt start: Int) {
    values = Dictionary(contents.items.map { ($0.name, $0.value.anyValue) }) { first, _ in first }
    self.start = start
  }

  /// Returns the changes since the snapshot, with the values before them. It leaves out a value
  /// that equals the previous one.
  func changes(in all: [RecordedChange]) -> [Difference.Event] {
    var values = values
    return all[start...].compactMap { change in
      let old = values[change.name] ?? change.value
      values[change.name] = change.value
      guard !isSame(old, change.value) else { return nil }
      return Difference.Event(name: change.name, old: old, new: change.value)
    }
  }
}

/// A value that is never mutated, although its type isn't `Sendable`.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

import FluxCapacitor
import FluxCapacitorDebugging

/// Tests that a state or an operation changes exactly the listed variables of a store, to the listed values, in the listed
/// order.
///
/// ```swift
/// let tester = StoreTester(CounterStore.self)
/// tester.invoke(.add(2)) {
///   Change(\.count, to: 2)
/// }
/// tester.invoke(.add(0))
/// ```
///
/// The test fails if a change happens that you haven't listed, or if a listed change doesn't happen. The failure message
/// shows the difference.
///
/// The tester compares all variables of the store, even private ones. It also finds variables in the store's structs,
/// enums, tuples, optionals, arrays and dictionaries, but not in other objects, and not in the values of variables. It
/// skips an array or a dictionary if the first element contains no variable, unless the elements have a protocol's type,
/// and a `var` with a protocol's type, which another thread might be changing. It looks for variables again before each
/// call, so it finds those that an earlier state has added. It doesn't notice the changes of a variable during the reduce
/// that creates the variable, also in place of another one or as a `lazy` property. A table counts as one variable. You
/// may list the change to a derived constant, at any position in the list, but don't have to.
public final class StoreTester<Store: Storable>: Sendable {
  /// Decides which changes a tester compares with the listed ones.
  public enum Strictness: Sendable {
    /// The tester compares every change.
    case exact

    /// The tester ignores the changes that you don't list. The listed ones must come in the listed order.
    case relaxed
  }

  /// The store under test.
  public let store: Store

  private let dispatcher: Dispatcher
  private let strictness: Strictness
  private let recording = Recording<RecordedChange>()
  private let dustBuster = DustBuster()

  private let lock = Lock()

  /// The variables and constants that the tester observes, guarded by `lock`.
  nonisolated(unsafe) private var observed: Set<ObjectIdentifier> = []

  /// The variables and constants that a test has listed by key path, guarded by `lock`.
  nonisolated(unsafe) private var published: Set<ObjectIdentifier> = []

  /// Creates a tester for the live store of a type, and creates the store if it doesn't exist yet.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - strictness: Whether unlisted changes fail the test.
  public convenience init(_ type: Store.Type, _ strictness: Strictness = .exact) {
    self.init(type.instantiate(), strictness)
  }

  /// Creates a tester for a store.
  ///
  /// - Parameters:
  ///   - store: The store, which must be registered with `Dispatcher.shared`.
  ///   - strictness: Whether unlisted changes fail the test.
  public init(_ store: Store, _ strictness: Strictness = .exact) {
    self.store = store
    self.strictness = strictness
    dispatcher = .shared
    _ = observedContents()
  }

  /// Returns the variables and constants of the store, after observing those that are new.
  private func observedContents() -> StoreContents {
    let contents = StoreContents(of: store)
    for item in contents.items {
      let identity = item.value.identity
      guard lock.withLock({ observed.insert(identity).inserted }) else { continue }
      // The observation keeps the value alive, so that no later variable has the same identity.
      item.value.observeAny { [recording, value = item.value] new in
        recording.note(RecordedChange(identity: value.identity, value: new))
      }
      .cleaned(by: dustBuster)
    }
    return contents
  }

  /// Invokes a state, and expects it to cause the listed changes.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - changes: The expected changes, in the order in which the reduce first sets the variables. If the reduce sets a
  ///     variable to its current value, don't list a change. The list is evaluated before the state is invoked, so it
  ///     can refer to the store's earlier values.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
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
    let place = Place(fileID, filePath, line, column)
    if !dispatcher.isRegistered(store) {
      place.fail("This \(Store.self) gets no states, because it isn't registered.")
    }
    let expected = changes()
    let before = Snapshot(of: observedContents(), startingAt: recording.all.count)
    dispatcher.dispatch(state)
    expect(expected, since: before, after: shownState(state), at: place)
  }

  /// Expects an operation, such as an action that invokes several states, to cause the listed changes.
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
  ///   - changes: The expected changes, in the order in which observers receive them, without writes of equal values.
  ///     The list is evaluated before the operation, so it can refer to the store's earlier values.
  ///   - operation: The operation that causes the changes. The tester compares the changes after it has ended, also with an
  ///     error.
  ///   - isolation: The actor of the caller.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
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
    let expected = changes()
    let before = Snapshot(of: observedContents(), startingAt: recording.all.count)
    let place = Place(fileID, filePath, line, column)
    defer { expect(expected, since: before, after: "the operation", at: place) }
    try await operation()
  }

  /// Expects a synchronous operation to cause the listed changes.
  ///
  /// A synchronous test can use this method without `await`. In an asynchronous test, the compiler chooses the asynchronous
  /// method of the same name.
  ///
  /// - Parameters:
  ///   - changes: The expected changes, in the order in which observers receive them, without writes of equal values.
  ///     The list is evaluated before the operation, so it can refer to the store's earlier values.
  ///   - operation: The operation that causes the changes. The tester compares the changes after it has ended, also with an
  ///     error.
  ///   - fileID: The location that a failure refers to, which is the location of the call by default.
  ///   - filePath: See `fileID`.
  ///   - line: See `fileID`.
  ///   - column: See `fileID`.
  @_disfavoredOverload public func expect(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    @ListBuilder<Change<Store>> _ changes: () -> [Change<Store>],
    when operation: () throws -> Void
  ) rethrows {
    let expected = changes()
    let before = Snapshot(of: observedContents(), startingAt: recording.all.count)
    let place = Place(fileID, filePath, line, column)
    defer { expect(expected, since: before, after: "the operation", at: place) }
    try operation()
  }

  private func expect(
    _ expected: [Change<Store>],
    since before: Snapshot,
    after cause: String,
    at place: Place
  ) {
    if place.failsInsideAReduce() { return }
    let contents = observedContents()
    let names = contents.items.map(\.name)
    let recorded = recording.all
    let happened = before.changes(in: recorded, namedBy: contents)
    let expected = expected.map { expectation(for: $0, in: contents) }
    let undelivered = before.undelivered(in: contents, recorded: recorded).map { name in
      """
      a change of \(name) isn't delivered yet, so it can't be compared. \
      Use the tester outside of transactions, and of observers of \(name), also of another thread.
      """
    }
    if strictness == .exact, let undelivered {
      return place.fail("\(Store.self) after \(cause): \(undelivered)")
    }
    // A superclass and a subclass can have private properties of the same name.
    if let name = expected.first(where: { $0.isAmbiguous(in: names) })?.name {
      return place.fail(
        """
        \(Store.self) has several variables with the name \(name). \
        List their changes by key path, or give the variables different names.
        """
      )
    }
    let difference = Difference(
      expected: expected,
      happened: happened,
      names: names,
      isExact: strictness == .exact
    )
    if let text = difference.text {
      let reason = undelivered.map { "\nThe reason might be that \($0)" }
      let hint = reason ?? dispatcher.hintAtUnsettled
      let hints = hintAtHiddenParts(in: happened.map(\.new)) + hint
      place.fail("\(Store.self) after \(cause):\(text)\(hints)\(code(for: happened, in: contents))")
    }
  }

  /// The code of an expectation that the changes meet, after an empty line.
  private func code(for happened: [Difference.Event], in contents: StoreContents) -> String {
    let lines = happened.compactMap { event -> String? in
      guard let item = contents.item(for: event.identity), !item.value.isDerived else {
        return nil
      }
      return event.code(isPublished: hasKeyPath(item, in: contents))
    }
    return lines.isEmpty ? "" : "\n\n\(passingExpectation(lines))"
  }

  /// Returns whether the store seems to publish a value as a property with the item's name.
  ///
  /// Reflection doesn't list computed properties. If a derived constant reads the variable `_count`, the store
  /// may publish only the derived constant. Then a test must already have listed a change to `\.count`.
  private func hasKeyPath(_ item: StoreContents.Item, in contents: StoreContents) -> Bool {
    // A key path can't contain the position or the key of a constant in a collection.
    if item.name.contains("[") { return false }
    let identity = item.value.identity
    if item.value.isConstant || lock.withLock({ published.contains(identity) }) { return true }
    return item.otherName != nil && !contents.items.contains { $0.value.sources.contains(identity) }
  }

  private func expectation(
    for change: Change<Store>,
    in contents: StoreContents
  ) -> Difference.Expectation {
    var (name, identity, isTemporary) = ("?", ObjectIdentifier?.none, false)
    switch change.property {
    case .named(let property): name = property
    case .published(let value):
      let (found, foundAgain) = (value(store), value(store))
      identity = found.identity
      isTemporary = found.identity != foundAgain.identity
    }
    let item = identity.map(contents.item(for:)) ?? contents.item(named: name)
    if let identity, item != nil { _ = lock.withLock { published.insert(identity) } }
    return Difference.Expectation(
      name: item?.name ?? name,
      identity: identity,
      isTemporary: isTemporary,
      value: change.value,
      line: change.line,
      present: item?.value.anyValue,
      isDerived: item?.value.isDerived ?? false
    )
  }
}

import FluxCapacitor

extension Keeper {
  /// Creates a keeper that saves stores to a storage instead of a folder, such as a database.
  ///
  /// ```swift
  /// let keeper = Keeper(storage: database)
  /// let room = try await keeper.load(RoomStore.self, key: "general", on: dispatcher)
  /// ```
  ///
  /// Several processes can use one storage, also on several machines. If two of them open the same key, the one that saves
  /// first wins: each later save of the other one fails with ``KeeperFailure/Cause/superseded``, and changes nothing. See
  /// ``isSuperseded(_:key:)``.
  ///
  /// Each save writes all changed stores in one transaction of the storage.
  ///
  /// - Parameters:
  ///   - storage: The storage.
  ///   - dispatcher: The dispatcher of the stores that you load without another one.
  ///   - maximumDelay: The longest time from a change until the keeper begins to save it.
  ///   - clock: The clock that measures the delay. Tests can use a manual clock.
  ///   - savesTimeTravel: Whether the keeper saves values that `TimeCircuits` restores.
  public convenience init(
    storage: some KeeperStorage,
    dispatcher: Dispatcher = .shared,
    maximumDelay: Duration = .milliseconds(500),
    clock: any Clock<Duration> = ContinuousClock(),
    savesTimeTravel: Bool = true
  ) {
    self.init(
      StorageCore(storage, dispatcher, maximumDelay, clock, savesTimeTravel: savesTimeTravel)
    )
  }

  /// Returns the single live store of a type, or of a key, restored from a folder or from a storage.
  ///
  /// ```swift
  /// let room = try await keeper.load(RoomStore.self, key: "general", on: dispatcher)
  /// ```
  ///
  /// With a storage, the method waits for the storage without blocking the thread. With a folder, it does the same as
  /// ``open(_:key:on:)``. Calls that load the same store at the same time receive the same store.
  ///
  /// - Parameters:
  ///   - type: The type of the store.
  ///   - key: The key of the store, or nil for a store without keys.
  ///   - dispatcher: The dispatcher of the store, or nil for the keeper's one.
  /// - Throws: A ``KeeperFailure``, or a `CancellationError` if the task is cancelled. In addition to the causes of
  ///   ``open(_:key:on:)``, the cause is ``KeeperFailure/Cause/storage(_:)`` if the storage has failed.
  nonisolated(nonsending) public func load<S: Persistable>(
    _ type: S.Type,
    key: String? = nil,
    on dispatcher: Dispatcher? = nil
  ) async throws -> S {
    let dispatcher = dispatcher ?? core.dispatcher
    if let core = core as? StorageCore {
      return try await core.load(type, key: key, on: dispatcher)
    }
    return try folder(of: type).open(type, key: key, on: dispatcher) {
      failure throws(KeeperFailure) in throw failure
    }
  }

  /// Whether another keeper has replaced an open store's value in the storage.
  ///
  /// The keeper learns this when it next saves the store, or when you call ``flush(_:key:)``. From then on, it can't save the
  /// store: each flush throws ``KeeperFailure/Cause/superseded``, and ``saved(_:key:)`` keeps its value. Release the store,
  /// close it, and load it again. If a session holds the store, `Sessions` does this for you:
  ///
  /// ```swift
  /// let rooms = Sessions<String, Room>(idle: .seconds(60)) { name, dispatcher in
  ///   try await Room(name, keeper, on: dispatcher)
  /// } close: { room in
  ///   try await keeper.close(RoomStore.self, key: room.name)
  /// } isOver: { room in
  ///   keeper.isSuperseded(RoomStore.self, key: room.name)
  /// }
  /// ```
  ///
  /// The constant changes on a background thread. With a folder, it's always false, because only one keeper can save to a
  /// folder.
  ///
  /// - Precondition: The store is open. Otherwise, the method traps.
  public func isSuperseded<S: Persistable>(_ type: S.Type, key: String? = nil) -> Constant<Bool> {
    core.isSuperseded(type, key: key)
  }
}

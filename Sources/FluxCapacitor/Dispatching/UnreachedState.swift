/// A state that has reached no store, and the probable reason. See ``Dispatcher/onUnreachedState``.
public struct UnreachedState: Sendable, CustomStringConvertible {
  /// The dispatched state.
  public let state: any DispatchState

  /// The module and the file in which the state was invoked, in the form `Module/File.swift`.
  public let fileID: StaticString

  /// The line at which the state was invoked.
  public let line: UInt

  /// A sentence with the probable reason.
  public let reason: String

  /// A line of text with the source location, the state's type and the reason.
  ///
  /// The line doesn't contain the state's values, which may be private.
  public var description: String {
    "\(fileID):\(line): A \(sourceName(of: type(of: state))) has reached no store. \(reason)"
  }
}

extension Dispatcher {
  /// Called, in debug builds, with a state that has reached no store.
  ///
  /// Such a state isn't an error. But often, no code has instantiated the store, nobody keeps it, or it belongs to a
  /// different dispatcher. By default, the closure writes one line to standard error. Set the property to `nil` to write
  /// nothing, or to a closure of your own:
  ///
  /// ```swift
  /// Dispatcher.onUnreachedState = { unreached in
  ///   print(unreached)
  /// }
  /// ```
  ///
  /// - The closure is called for the first such state of each type and source location in the process, with any dispatcher.
  /// - The dispatching thread calls it at the end of the dispatch. Outside a ``transaction(_:)``, observers have been
  ///   called by then, and no lock is held. Inside a transaction, other threads' states wait until it has ended. The
  ///   closure may invoke states. Several threads may call it at the same time.
  /// - A state counts as reached if an observer of states receives it. States with ``NoStore`` always count as reached.
  /// - Tests with `.isolatedDispatcher`, of FluxCapacitorTesting, don't call the closure.
  ///
  /// You can read and set the property on any thread. The process retains the closure until you replace it.
  ///
  /// > Note: A release build of the library never calls the closure.
  ///
  /// - Complexity: O(n) in the number of registered stores for each call, and O(1) for each further unreached state in a
  ///   debug build.
  public static var onUnreachedState: (@Sendable (UnreachedState) -> Void)? {
    get { handler.withLock { $0.closure } }
    set {
      // This thread releases the former closure after unlocking, because a `deinit` is user code.
      let former = handler.withLock { handler in
        defer { handler.closure = newValue }
        return handler.closure
      }
      withExtendedLifetime(former) {}
    }
  }

  /// A closure in a structure. In a generic type such as `Guarded`, each access to a bare closure would wrap the
  /// closure in further closures, until a call overflows the stack.
  private struct Handler {
    var closure: (@Sendable (UnreachedState) -> Void)?
  }

  private static let handler = Guarded(
    Handler {
      #if DEBUG
        writeToStandardError("\($0)\n")
      #endif
    }
  )
}

#if DEBUG
  extension Dispatcher {
    /// The types and the source locations of the unreached states so far.
    private static let known = Guarded(Set<String>())

    /// Makes this thread call `onUnreachedState` after the dispatch, for the first state of a type and source location.
    ///
    /// - Parameter channel: The channel to which the dispatcher has sent the state, if any.
    @usableFromInline func noteUnreached<State: DispatchState>(
      _ state: State,
      from location: SourceLocation,
      on thread: CurrentThread,
      sentTo channel: EventChannel<State>?
    ) {
      guard registry.reportsUnreachedStates, State.RelatedStoreType.self != NoStore<State>.self,
        thread.pointee.scheduled == nil,
        thread.pointee.replaying == nil, let handler = Dispatcher.onUnreachedState
      else { return }
      if let channel, channel.lock.withLock({ channel.hasDependents }) { return }
      let (fileID, line) = location
      let key = "\(ObjectIdentifier(State.self)) \(fileID):\(line)"
      let isNew = Dispatcher.known.withLock { $0.insert(key).inserted }
      guard isNew else { return }
      let store = sourceName(of: State.RelatedStoreType.self)
      let reason =
        Registry.hasStores(for: State.self)
        ? "A live \(store) is registered with a different dispatcher."
        : "No live \(store) is registered. Instantiate the store, and keep a reference to it."
      let unreached = UnreachedState(state: state, fileID: fileID, line: line, reason: reason)
      thread.pointee.deferredDispatches.append { _ in handler(unreached) }
    }
  }
#endif

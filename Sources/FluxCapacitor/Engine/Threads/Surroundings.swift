import Synchronization

/// What `Dispatcher.shared` is for some code: the dispatcher passed to the innermost `withDispatcher`, if any.
///
/// Code that is handed to the library sees the dispatcher in which it was handed over, whichever thread calls the code
/// later. So an observation keeps the surroundings of its creation. As long as no code of the process has called
/// `withDispatcher`, there is nothing to keep, and nothing to compare.
@usableFromInline struct Surroundings: Sendable {
  /// Returns the dispatcher, or `nil` for the process's dispatcher.
  let replacement: @Sendable () -> (any PendingWorkOwner)?

  /// The dispatcher that replaces the process's dispatcher in a task.
  static let ofTask = TaskLocal<(any PendingWorkOwner)?>(wrappedValue: nil)

  /// Whether code has ever replaced the process's dispatcher. Only the task that does so depends on the flag, and it has
  /// set the flag itself. So relaxed ordering is enough.
  static let isEverReplaced = Atomic(false)

  /// The dispatcher that replaces the process's dispatcher in the current task. Reading a `TaskLocal` takes long.
  static var replacementInTask: (any PendingWorkOwner)? {
    isEverReplaced.load(ordering: .relaxed) ? ofTask.get() : nil
  }

  /// The surroundings of the current code, or `nil` if its dispatcher is the process's.
  @usableFromInline static var current: Surroundings? {
    replacementInTask.map { owner in Surroundings { owner } }
  }

  /// The surroundings of the current code, for an observation that a dispatcher owns. The observation doesn't keep the
  /// current dispatcher alive, because two dispatchers can observe each other or themselves.
  ///
  /// A pending value can outlive its dispatcher, and then sees an empty one: a released dispatcher has no stores either.
  static var weakCurrent: Surroundings? {
    replacementInTask.map { owner in
      let type = type(of: owner)
      return Surroundings { [weak owner] in owner ?? type.init() }
    }
  }

  /// Calls a closure in surroundings. For `nil`, its dispatcher is the process's.
  @usableFromInline static func call<Result>(
    in surroundings: Surroundings?,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let replacement = surroundings?.replacement()
    if replacementInTask === replacement { return try body() }
    return try ofTask.withValue(replacement, operation: body)
  }
}

func address(of owner: (any PendingWorkOwner)?) -> UInt {
  owner.map { UInt(bitPattern: Unmanaged.passUnretained($0 as AnyObject).toOpaque()) } ?? 0
}

/// An object with a record of pending work, which code can see as the current dispatcher. `Dispatcher`, in the folder
/// `Dispatching`, conforms to this protocol.
protocol PendingWorkOwner: AnyObject, Sendable {
  var pendingWork: PendingWork { get }

  init()
}

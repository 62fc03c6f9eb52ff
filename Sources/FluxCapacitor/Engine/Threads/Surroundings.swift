/// What `Dispatcher.shared` is for some code: the dispatcher passed to the innermost `withDispatcher`, if any.
///
/// Code that is handed to the library sees the dispatcher in which it was handed over, whichever thread calls the code
/// later. So an observation keeps the surroundings of its creation. As long as no code of the process has called
/// `withDispatcher`, there is nothing to keep, and nothing to compare.
@usableFromInline struct Surroundings: Sendable {
  /// Returns the dispatcher, or `nil` for the process's dispatcher.
  let replacement: @Sendable () -> (any PendingWorkOwner)?

  /// The surroundings of the current code, or `nil` if its dispatcher is the process's.
  @usableFromInline static var current: Surroundings? {
    PendingWork.replacementInTask.map { owner in Surroundings { owner } }
  }

  /// The surroundings of the current code, for an observation that a dispatcher owns. The observation doesn't keep the
  /// current dispatcher alive, because two dispatchers can observe each other or themselves.
  ///
  /// A pending value can outlive its dispatcher, and then sees an empty one: a released dispatcher has no stores either.
  static var weakCurrent: Surroundings? {
    PendingWork.replacementInTask.map { owner in
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
    if PendingWork.replacementInTask === replacement { return try body() }
    return try PendingWork.replacement.withValue(replacement, operation: body)
  }
}

extension UnsafeMutablePointer where Pointee == ThreadState {
  /// Notes the dispatcher of the code that begins a delivery, for all observers that this thread is about to call.
  @inlinable func noteSurroundings() {
    if pointee.isEverReplaced { lookUpSurroundings() }
  }

  @usableFromInline func lookUpSurroundings() {
    pointee.surroundings = address(of: PendingWork.replacementInTask)
  }
}

func address(of owner: (any PendingWorkOwner)?) -> UInt {
  owner.map { UInt(bitPattern: Unmanaged.passUnretained($0 as AnyObject).toOpaque()) } ?? 0
}

extension Effects {
  /// A rule for a new operation while an earlier operation is in progress.
  public enum Policy: Hashable, Sendable {
    /// A new operation supersedes all earlier operations, and their tasks are cancelled.
    ///
    /// Use this policy if only the newest result matters, for example in a search. Other libraries call it *switch* or
    /// *switchToLatest*, and with the pause of ``Effects/run(after:clock:fileID:line:operation:)`` *debounce*.
    case latest

    /// A new operation doesn't run while an earlier operation is in progress.
    ///
    /// Use this policy, which other libraries call *exhaust*, if one operation at a time is enough, for example to
    /// refresh a list. If the earlier operation has been cancelled, the new operation waits until the cancelled
    /// operation has ended, and then begins.
    case first

    /// A new operation waits until all earlier operations have ended, unless one of them has started the new operation.
    ///
    /// Use this policy, which other libraries call *concat*, if every operation must run in the order of the calls,
    /// for example to save drafts.
    case serial

    /// A new operation waits until the operation in progress has ended, and replaces an operation that
    /// already waits.
    ///
    /// Use this policy if only the newest operation matters, and a running operation must finish, for
    /// example to save a document while a user edits it. An operation that is replaced never begins, and
    /// its task ends.
    case newestWaiting

    /// A new operation waits while the given number of operations are running or pausing.
    ///
    /// Use this policy, which other libraries call *merge* or *flatMap*, to limit parallel work, for example when you
    /// load thumbnails. With `.concurrent(.max)`, no operation waits. Waiting operations get their turns in the order
    /// of the calls. Operations that don't wait, or that get their turns at the same time, begin in any order.
    case concurrent(Int)

    /// An operation is refused if the given number of operations have begun within the duration before it would begin.
    ///
    /// Use this policy to limit a rate, for example of requests to a service. `.atMost(1, per:)` is a *throttle* that
    /// drops the last value of a burst; ``newestWaiting``, with operations that end with a pause, keeps that value. A
    /// refused operation never begins. Whether an operation with a pause is refused turns out at the end of the pause.
    /// Operations that are not refused run at the same time. All operations of one `Effects` need clocks of the same type.
    ///
    /// For a limit of each client, use ``KeyedEffects``.
    case atMost(Int, per: Duration)
  }
}

extension Effects.Policy {
  /// Traps if no operation could ever run.
  func check() {
    if case .concurrent(let limit) = self, limit < 1 {
      trap("Effects(.concurrent(\(limit))) can't run operations. The limit must be at least 1.")
    }
    if case .atMost(let limit, let duration) = self, limit < 1 || duration <= .zero {
      trap(
        "Effects(.atMost(\(limit), per: \(duration))) can't run operations.",
        "The limit must be at least 1, and the duration must be positive."
      )
    }
  }
}

extension Effects.Policy {
  /// The number of effects that can be in progress, apart from nested effects.
  var limit: Int {
    switch self {
    case .latest, .atMost: .max
    case .concurrent(let limit): limit
    case .first, .serial, .newestWaiting: 1
    }
  }
}

extension Effects {
  /// Decides what happens to a new operation while an earlier one is in progress.
  public enum Policy: Hashable, Sendable {
    /// A new operation supersedes all earlier ones, and their tasks are cancelled.
    ///
    /// Use this policy if only the newest result matters, for example in a search. Other libraries call it *switch* or
    /// *switchToLatest* and, with the pause of ``Effects/run(after:clock:fileID:line:operation:)``, *debounce*.
    case latest

    /// A new operation doesn't run while an earlier one is in progress.
    ///
    /// Use this policy, which other libraries call *exhaust*, if one operation at a time is enough, for example to refresh
    /// a list. If the earlier operation has been cancelled, the new one waits until the cancelled one has ended, and then
    /// begins.
    case first

    /// A new operation waits until all earlier ones have ended, unless one of them has started it.
    ///
    /// Use this policy, which other libraries call *concat*, if every operation must run in the order of the calls, for
    /// example to save drafts.
    case serial

    /// A new operation waits until the one in progress has ended, and replaces one that already waits.
    ///
    /// Use this policy if only the newest operation matters, and a running one must finish, for example to save a document
    /// while a user edits it. An operation that is replaced never begins, and its task ends.
    case newestWaiting

    /// A new operation waits while the given number of operations are running or pausing.
    ///
    /// Use this policy, which other libraries call *merge* or *flatMap*, to limit parallel work, for example when you load
    /// thumbnails. With `.concurrent(.max)`, no operation waits. Waiting operations get their turns in the order of the
    /// calls. Operations that don't wait, or that get their turns at the same time, begin in any order.
    case concurrent(Int)

    /// An operation is refused if the given number of operations have already begun within the duration before it.
    ///
    /// Use this policy to limit a rate, for example of requests to a service. A ``KeyedEffects`` can limit each client's
    /// rate. `.atMost(1, per:)` is a *throttle* that drops the last value of a burst. To keep this value, use
    /// ``newestWaiting`` with operations that end with a pause.
    ///
    /// A refused operation never begins. If it has a pause, whether it is refused is decided when the pause ends.
    /// Operations that aren't refused run at the same time. All operations of one `Effects` need clocks of the same type.
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

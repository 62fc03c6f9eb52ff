/// Dust that performs an action, at most once, when it is cleaned.
final class ActionDust: Dust, @unchecked Sendable {
  // `action` needs no lock, because only the first thread that cleans this Dust uses `action`.
  private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    // The downcast is safe because every caller passes this Dust to the closure.
    super.init { unsafeDowncast($0, to: ActionDust.self).perform() }
  }

  /// Performs the action, and releases the action's closure with its captured values.
  private func perform() {
    let action = action
    self.action = nil
    action?()
    releaseAfterUnlocking(action)
  }
}

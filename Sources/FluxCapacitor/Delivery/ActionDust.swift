/// Dust of something other than an observation: cleaning it performs an action, once.
final class ActionDust: Dust, @unchecked Sendable {
  // Nothing guards `action`, because only the first thread to clean takes it.
  @exclusivity(unchecked) private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    // It is only called with this Dust.
    super.init { unsafeDowncast($0, to: ActionDust.self).perform() }
  }

  /// Performs the action and releases it, with what it captures.
  private func perform() {
    let action = action
    self.action = nil
    action?()
  }
}

/// Dust of something else than an observation: cleaning it performs an action, once.
final class ActionDust: Dust, @unchecked Sendable {
  // Nothing guards `action`: it is taken by whoever cleans first, and by nobody else.
  @exclusivity(unchecked) private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    super.init(isDirect: true) { unsafeDowncast($0, to: ActionDust.self).perform() }
  }

  /// Performs the action and lets go of it, and of what it holds.
  private func perform() {
    let action = action
    self.action = nil
    action?()
  }
}

/// Dust of something other than an observation. Cleaning it performs an action, once.
final class ActionDust: Dust, @unchecked Sendable {
  // `action` needs no lock, because only the first thread that cleans this Dust takes it.
  @exclusivity(unchecked) private var action: (@Sendable () -> Void)?

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    // The closure is only called with this Dust.
    super.init { unsafeDowncast($0, to: ActionDust.self).perform() }
  }

  /// Performs the action and releases it, together with the values that it captures.
  private func perform() {
    let action = action
    self.action = nil
    action?()
  }
}

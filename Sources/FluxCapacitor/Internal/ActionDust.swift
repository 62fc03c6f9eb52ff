/// Dust of something else than an observation: cleaning it performs an action, once.
final class ActionDust: Dust, @unchecked Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
    super.init(isDirect: true) { unsafeDowncast($0, to: ActionDust.self).action() }
  }
}

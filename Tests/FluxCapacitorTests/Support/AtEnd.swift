/// A value whose end runs code of the user's.
final class AtEnd: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  deinit { body() }
}

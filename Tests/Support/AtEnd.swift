/// An object that calls a closure in its `deinit`.
package final class AtEnd: Sendable {
  private let body: @Sendable () -> Void

  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}

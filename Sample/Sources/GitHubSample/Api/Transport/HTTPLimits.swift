/// The limits for a response's time and for the size of the decompressed body.
package struct HTTPLimits: Sendable {
  package let time: Duration
  package let bodySize: Int

  /// The limits for requests to GitHub. GitHub gives up after about 10 seconds, and a page of 100
  /// repositories has about 60 kB.
  package static let standard = HTTPLimits(time: .seconds(12), bodySize: 16 * 1_048_576)

  package init(time: Duration, bodySize: Int) {
    self.time = time
    self.bodySize = bodySize
  }
}

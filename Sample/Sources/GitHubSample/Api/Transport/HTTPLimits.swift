/// The limits of a response: the time since the request, and the size of the decompressed body.
package struct HTTPLimits: Sendable {
  package let time: Duration
  package let bodySize: Int

  /// The limits for GitHub, which gives up after about 10 seconds. A page of 100 repositories has
  /// about 60 kB.
  package static let standard = HTTPLimits(time: .seconds(12), bodySize: 16 * 1_048_576)

  package init(time: Duration, bodySize: Int) {
    self.time = time
    self.bodySize = bodySize
  }
}

/// The most that a server may send: until when after the request, and how much once decompressed.
package struct HTTPLimits: Sendable {
  package let time: Duration
  package let bodySize: Int

  /// GitHub itself gives up after some 10 seconds, and a page of 100 repositories has some 60 kB.
  package static let standard = HTTPLimits(time: .seconds(12), bodySize: 16 * 1_048_576)

  package init(time: Duration, bodySize: Int) {
    self.time = time
    self.bodySize = bodySize
  }
}

import Foundation

/// What only who was told the address knows.
struct LiveSecret: Sendable {
  let text: String

  private init(text: String) {
    self.text = text
  }

  /// A random one.
  init() {
    var generator = SystemRandomNumberGenerator()
    let parts = (0..<4).map { _ in
      let part = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - part.count) + part
    }
    self.init(text: parts.joined())
  }

  /// A random one; the one of before, if this user has listened on this port before.
  ///
  /// So a page stays open while the process is built and started again. The file belongs to the user, and
  /// nobody else may read it. Where none can be written, the secret is a new one.
  init(port: UInt16) {
    let file = LiveSecret.folder?.appendingPathComponent("explorer-\(port)")
    let known = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
    if let known, known.utf8.count == 32, known.allSatisfy(\.isHexDigit) {
      self.init(text: known)
    } else {
      self.init()
      if let file { LiveSecret.write(text, to: file) }
    }
  }

  /// Whether a text is the secret, in a time that does not say how much of it is right.
  func matches(_ other: Substring) -> Bool {
    guard other.utf8.count == text.utf8.count else { return false }
    return zip(other.utf8, text.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static var folder: URL? {
    FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
      .appendingPathComponent("FluxCapacitor")
  }

  private static func write(_ text: String, to file: URL) {
    let manager = FileManager.default
    try? manager.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    _ = manager.createFile(
      atPath: file.path,
      contents: Data(text.utf8),
      attributes: [.posixPermissions: 0o600]
    )
  }
}

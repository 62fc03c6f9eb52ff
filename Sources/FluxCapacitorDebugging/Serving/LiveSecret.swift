import Foundation

/// The secret in an explorer's address. Only programs that were given the address know it.
struct LiveSecret: Sendable {
  let text: String

  private init(text: String) {
    self.text = text
  }

  /// Creates a random secret.
  init() {
    var generator = SystemRandomNumberGenerator()
    let parts = (0..<4).map { _ in
      let part = String(UInt32.random(in: 0 ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - part.count) + part
    }
    self.init(text: parts.joined())
  }

  /// Creates the secret that this user had on this port before, or a random one.
  ///
  /// So a page stays open while the process is built and started again. The secret is kept in a file that
  /// only the user may read. If the file can't be written, the secret is new each time.
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

  /// Returns whether a text is the secret. The time that this takes doesn't show how much of the text is
  /// right.
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

import Foundation

/// The secret in an explorer's address. Only programs that have received the address know the secret.
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

  /// Creates the secret that the user's previous explorer on this port had, or a random secret.
  ///
  /// With the previous secret, an open page reconnects after you rebuild and restart the process. The
  /// secret is stored in a file that only the user can read. If the file can't be written, each run creates
  /// a new secret.
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

  /// Returns whether a text is the secret. The duration of the comparison doesn't reveal how much of the
  /// text is correct.
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

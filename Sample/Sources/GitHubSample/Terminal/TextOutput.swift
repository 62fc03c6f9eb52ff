import Foundation

/// A destination for text, which is a stream of the process or a recorder in tests.
package struct TextOutput: Sendable {
  /// Writes a complete text, or throws an error.
  package let write: @Sendable (String) throws -> Void

  package init(write: @escaping @Sendable (String) throws -> Void) {
    self.write = write
  }

  static let standardOutput = TextOutput { try StandardStreams.write($0, to: STDOUT_FILENO) }

  static let standardError = TextOutput { try StandardStreams.write($0, to: STDERR_FILENO) }
}

import Foundation

/// Where text goes: a stream of the process, or a test's own.
package struct TextOutput: Sendable {
  /// Writes all of the text, or throws.
  package let write: @Sendable (String) throws -> Void

  package init(write: @escaping @Sendable (String) throws -> Void) {
    self.write = write
  }

  package static let standardOutput = TextOutput {
    try FileHandle.standardOutput.write(contentsOf: Data($0.utf8))
  }

  package static let standardError = TextOutput {
    try FileHandle.standardError.write(contentsOf: Data($0.utf8))
  }
}

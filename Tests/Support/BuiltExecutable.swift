import Foundation

/// An executable of this package, which SwiftPM puts into the same folder as the tests.
package struct BuiltExecutable: Sendable {
  package let url: URL

  package init(_ name: String) {
    url = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath()
      .deletingLastPathComponent()
      .appendingPathComponent(name)
  }

  package var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: url.path) }
}

import Foundation
import Testing

/// A headless Chromium.
enum Browser {
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first(where: FileManager.default.isExecutableFile)

  static var isInstalled: Bool { path != nil }
}

extension Trait where Self == ConditionTrait {
  /// Skips the tests if this machine has no Chromium.
  static var browser: Self { .enabled(if: Browser.isInstalled, "There is no chromium here.") }
}

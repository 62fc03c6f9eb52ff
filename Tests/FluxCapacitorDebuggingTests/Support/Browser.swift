import FluxCapacitorTestSupport
import Foundation
import Testing

/// A headless Chromium.
enum Browser {
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"]
    .first(where: FileManager.default.isExecutableFile)

  /// Whether tests use the browser. Starting it for each test takes longer than all other tests together.
  static var isUsed: Bool {
    #if DEBUG
      isThorough && path != nil
    #else
      false
    #endif
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the tests, except in a thorough debug run on a machine with Chromium.
  static var browser: Self { .enabled(if: Browser.isUsed, "Only a thorough run uses Chromium.") }
}

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

  /// Runs a script on a page, and returns the script's results, decoded from JSON.
  static func results<Results: Decodable>(
    of script: String,
    on html: String,
    as _: Results.Type
  ) async throws -> Results {
    let folder = try TemporaryFolder()
    let driver = """
      <pre id="results"></pre><script>
      addEventListener("error", (event) => { document.getElementById("results").textContent = event.message; });
      document.getElementById("results").textContent
        = btoa(JSON.stringify((() => { \(script) })()));
      </script>
      """
    try folder.write(html + driver, to: "page.html")
    let dom = try await output(
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--window-size=1200,800",
      "--user-data-dir=\(folder.file("profile").path)",
      "--dump-dom",
      folder.file("page.html").absoluteString
    )
    let found = try #require(
      dom.firstMatch(of: /<pre id="results">([^<]*)<\/pre>/),
      "\(dom.suffix(500))"
    )
    let data = try #require(Data(base64Encoded: String(found.1)), "\(found.1)")
    return try JSONDecoder().decode(Results.self, from: data)
  }

  private static func output(_ arguments: String...) async throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let data = pipe.fileHandleForReading.allBytes()
        process.waitUntilExit()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }
}

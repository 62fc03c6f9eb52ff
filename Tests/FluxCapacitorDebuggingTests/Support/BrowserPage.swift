import FluxCapacitorTestSupport
import Foundation
import Testing

/// A page in a headless Chromium that a test controls.
///
/// The test and the browser exchange messages of Chromium's DevTools protocol over a pipe. Each message is
/// JSON, followed by a zero byte.
final class BrowserPage: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let profile: TemporaryFolder

  // Guarded by `lock`.
  private let lock = NSLock()
  private var lastNumber = 0
  private var waiting: [Int: CheckedContinuation<Data, Never>] = [:]
  private var hasEnded = false

  private var session = ""

  init(_ url: URL) async throws {
    profile = try TemporaryFolder()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The browser reads from file descriptor 3, and writes to file descriptor 4.
    process.arguments = [
      "-c", #"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#, try #require(Browser.path),
      "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,860",
      "--remote-debugging-pipe", "--user-data-dir=\(profile.url.path)", "about:blank",
    ]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["TMPDIR": profile.url.path]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.detachNewThread { [weak self, output] in
      var rest = Data()
      while true {
        let data = output.fileHandleForReading.nextBytes()
        if data.isEmpty { break }
        rest += data
        while let end = rest.firstIndex(of: 0) {
          self?.receive(rest[..<end])
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      self?.end()
    }
    let target = try await call("Target.createTarget", ["url": "about:blank"], as: Target.self)
    let parameters: [String: Any] = ["targetId": target.targetId, "flatten": true]
    session = try await call("Target.attachToTarget", parameters, as: Session.self).sessionId
    _ = try await call("Page.navigate", ["url": url.absoluteString], as: Navigation.self)
    try await wait(until: "document.readyState === 'complete'")
  }

  deinit {
    process.terminate()
    // The browser writes to its profile folder until the process has ended.
    process.waitUntilExit()
  }

  /// Returns the value of a JavaScript expression, or the result of a promise.
  func value<Value: Decodable>(of expression: String, as _: Value.Type = Value.self) async throws
    -> Value
  {
    let parameters: [String: Any] = [
      "expression": "(async () => JSON.stringify(await (\(expression))))()", "awaitPromise": true,
    ]
    let result = try await call("Runtime.evaluate", parameters, as: Evaluation.self)
    let text = try #require(
      result.result.value,
      "\(expression): \(result.exceptionDetails?.text ?? "")"
    )
    return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  func run(_ script: String) async throws {
    _ = try await value(of: "(async () => { \(script); return true; })()", as: Bool.self)
  }

  /// Waits until a JavaScript expression is true.
  func wait(until expression: String) async throws {
    try await run(
      """
      await new Promise((resolve) => {
        const look = () => { if (\(expression)) resolve(); else setTimeout(look, 5); };
        look();
      })
      """
    )
  }

  /// Changes the size of the window in pixels.
  func resize(to width: Int, _ height: Int) async throws {
    let size: [String: Any] = [
      "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
    ]
    _ = try await call("Emulation.setDeviceMetricsOverride", size, as: Nothing.self)
  }

  /// Chooses between the `light` and the `dark` color scheme.
  func setColorScheme(_ scheme: String) async throws {
    let feature = ["name": "prefers-color-scheme", "value": scheme]
    _ = try await call("Emulation.setEmulatedMedia", ["features": [feature]], as: Nothing.self)
  }

  /// Presses keys as a user does, so that the browser also moves the focus or types a text.
  func press(_ keys: String...) async throws {
    for key in keys {
      var event: [String: Any] = ["type": "keyDown", "key": key]
      if let code = ["Tab": 9, "Enter": 13, "Escape": 27, " ": 32][key] {
        event["windowsVirtualKeyCode"] = code
      }
      if key.count == 1 { event["text"] = key }
      _ = try await call("Input.dispatchKeyEvent", event, as: Nothing.self)
      event["type"] = "keyUp"
      event["text"] = nil
      _ = try await call("Input.dispatchKeyEvent", event, as: Nothing.self)
    }
  }

  private func call<Result: Decodable>(
    _ method: String,
    _ parameters: [String: Any],
    as _: Result.Type
  ) async throws -> Result {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    if !session.isEmpty { message["sessionId"] = session }
    let data = try JSONSerialization.data(withJSONObject: message) + [0]
    let response = await withCheckedContinuation { continuation in
      let isLost = lock.withLock {
        if !hasEnded { waiting[number] = continuation }
        return hasEnded
      }
      if isLost { return continuation.resume(returning: Data()) }
      try? input.fileHandleForWriting.write(contentsOf: data)
    }
    let answer = try JSONDecoder().decode(Answer<Result>.self, from: response)
    return try #require(answer.result, "\(method): \(String(decoding: response, as: UTF8.self))")
  }

  private func receive(_ message: Data) {
    guard let number = try? JSONDecoder().decode(Head.self, from: message).id else { return }
    lock.withLock { waiting.removeValue(forKey: number) }?.resume(returning: message)
  }

  private func end() {
    let left = lock.withLock {
      hasEnded = true
      defer { waiting = [:] }
      return waiting.values
    }
    for continuation in left { continuation.resume(returning: Data()) }
  }

  private struct Nothing: Decodable {}
  private struct Head: Decodable { let id: Int }
  private struct Answer<Result: Decodable>: Decodable { let result: Result? }
  private struct Target: Decodable { let targetId: String }
  private struct Navigation: Decodable { let frameId: String }
  private struct Session: Decodable { let sessionId: String }

  private struct Evaluation: Decodable {
    struct Value: Decodable { let value: String? }
    struct Details: Decodable { let text: String }

    let result: Value
    let exceptionDetails: Details?
  }
}

import Foundation

/// Prevents environment variables from disclosing the token.
enum TokenProtection {
  /// Changes the process's environment. Call this method first, while there is only one thread.
  static func apply() {
    // With this variable, Foundation would write every request, including the token, to standard
    // error.
    unsetenv("URLSessionDebugLibcurl")

    // Plain http, which is for loopback only, bypasses proxies, because a proxy could read it.
    let variables = ProcessInfo.processInfo.environment
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    guard exceptions != "*" else { return }
    let loopback = "localhost,127.0.0.0/8"
    setenv("no_proxy", exceptions.isEmpty ? loopback : "\(exceptions),\(loopback)", 1)
  }
}

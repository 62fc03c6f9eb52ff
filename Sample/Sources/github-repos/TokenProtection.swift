import Foundation

/// Changes environment variables that could disclose the token.
enum TokenProtection {
  /// Changes the process's environment. Call this method before the process starts a second thread.
  static func apply() {
    // If this variable is set, Foundation writes every request to standard error, including the
    // token.
    unsetenv("URLSessionDebugLibcurl")

    // Plain http requests to loopback hosts bypass proxies, because a proxy could read the token.
    let variables = ProcessInfo.processInfo.environment
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    guard exceptions != "*" else { return }
    let loopback = "localhost,127.0.0.0/8"
    setenv("no_proxy", exceptions.isEmpty ? loopback : "\(exceptions),\(loopback)", 1)
  }
}

import Foundation

/// Closes the ways in which environment variables could disclose the token.
enum TokenProtection {
  /// Changes the process's environment. Call it first, while there is only one thread.
  static func apply() {
    // Foundation would write every request, the token included, to standard error.
    unsetenv("URLSessionDebugLibcurl")

    // Plain http is for loopback only, and a proxy could read it.
    let variables = ProcessInfo.processInfo.environment
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    guard exceptions != "*" else { return }
    let loopback = "localhost,127.0.0.0/8"
    setenv("no_proxy", exceptions.isEmpty ? loopback : "\(exceptions),\(loopback)", 1)
  }
}

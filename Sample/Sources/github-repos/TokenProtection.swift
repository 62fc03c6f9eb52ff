import Foundation

/// Keeps the token from ways that the environment would open for it.
enum TokenProtection {
  /// Changes the process's environment; to be called before anything else, while there is one thread.
  static func apply() {
    // Foundation would write every request, the token included, to standard error.
    unsetenv("URLSessionDebugLibcurl")

    // Plain http is for loopback only, and a proxy would get to read it.
    let variables = ProcessInfo.processInfo.environment
    let exceptions =
      ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? ""
    guard exceptions != "*" else { return }
    let loopback = "localhost,127.0.0.0/8"
    setenv("no_proxy", exceptions.isEmpty ? loopback : "\(exceptions),\(loopback)", 1)
  }
}

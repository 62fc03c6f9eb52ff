import Foundation
import GitHubSample

/// Changes environment variables that could disclose the token.
enum TokenProtection {
  /// Changes the process's environment. Call this method before the process starts a second thread.
  static func apply() {
    // If this variable is set, Foundation writes every request to standard error, including the
    // token.
    unsetenv("URLSessionDebugLibcurl")

    let variables = ProcessInfo.processInfo.environment
    if let hosts = ProxyExceptions.hosts(in: variables) { setenv("no_proxy", hosts, 1) }
  }
}

@preconcurrency import Foundation

/// Handles the signals that the process receives.
package enum Signals {
  /// The dispatch sources of the signals, which exist until the process ends.
  private static let sources = Protected<[any DispatchSourceSignal]>([])

  /// Prepares the process for signals. Call this method once, before you write any output.
  ///
  /// The process ignores SIGPIPE, because neither a server that closes a connection nor a reader that closes the
  /// output must end the process before it has saved its files. SIGINT, SIGTERM, SIGHUP and SIGQUIT call the cleanup
  /// closure and then end the process.
  ///
  /// - Parameter cleanUp: A closure that is called before a signal ends the process.
  package static func prepare(cleanUp: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    // If the parent process made this process ignore a signal, as nohup does, the process still
    // ignores the signal.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !isIgnored(number) {
      let source = DispatchSource.makeSignalSource(
        signal: number,
        queue: DispatchQueue(label: "Signals")
      )
      source.setEventHandler { @Sendable in
        cleanUp()
        terminate(by: number)
      }
      let isRegistered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { @Sendable in
        #if canImport(Darwin)
          // On non-Apple systems, the dispatch source itself replaces the signal's default action.
          // On Apple systems, the signal is ignored only after the source is registered, so that no
          // earlier signal is lost.
          _ = signal(number, SIG_IGN)
        #endif
        isRegistered.signal()
      }
      source.resume()
      // Work that needs cleanup must not begin before the source is registered.
      isRegistered.wait()
      sources.withLock { $0.append(source) }
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    let action = signal(number, SIG_IGN)
    if unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return true }
    signal(number, action)
    return false
  }

  /// Ends the process by a signal, so that the parent process sees the signal.
  package static func terminate(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Dispatch blocks signals on its threads, so the signal has to be unblocked before `kill` can
    // deliver the signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), number)
    // If the signal has not ended the process, exit with the code that shells report for the
    // signal.
    _exit(128 + number)
  }
}

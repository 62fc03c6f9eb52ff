@preconcurrency import Foundation

/// The handling of signals.
package enum Signals {
  /// The sources of signals, which live as long as the process.
  private static let sources = Protected<[any DispatchSourceSignal]>([])

  /// Prepares the process for signals. Call this method once, before anything is written.
  ///
  /// SIGPIPE is ignored, because a server that closes a connection must not end the process. A
  /// closed standard output does end the process; see `StandardStreams`. SIGINT, SIGTERM, SIGHUP
  /// and SIGQUIT end the process immediately, after cleaning up.
  ///
  /// - Parameter cleanUp: Called before one of these signals ends the process.
  package static func prepare(cleanUp: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    // A signal that the process was started to ignore, for example by nohup, stays ignored.
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
          // On other systems, the source itself replaces the default action. An earlier signal ends
          // the process. If it were ignored from the start, it would be lost.
          _ = signal(number, SIG_IGN)
        #endif
        isRegistered.signal()
      }
      source.resume()
      // The source must be registered before work begins that needs cleaning up.
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

  /// Ends the process by a signal, so that its parent process sees the signal.
  static func terminate(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Dispatch's threads block signals, and a blocked signal would not be delivered.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), number)
    // If the signal has not ended the process, exit with the code that shells report for it.
    _exit(128 + number)
  }
}

@preconcurrency import Foundation

/// How the process handles signals.
package enum Signals {
  /// Sources stay as long as the process.
  private static let sources = Protected<[any DispatchSourceSignal]>([])

  /// Prepares for signals, once, before anything is written.
  ///
  /// SIGPIPE is ignored, for a server that closes a connection must not end the process; a closed
  /// standard output does end it, see `StandardStreams`. The signals by which people end a process
  /// do so at once, after cleaning up.
  ///
  /// - Parameter cleanUp: Called before such a signal ends the process.
  package static func prepare(cleanUp: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    // Whoever started the process with a signal ignored, as nohup does, wants it so.
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
          // Elsewhere the source itself takes the place of what the signal did. A signal that comes
          // before ends the process: ignored from the start, it would be lost.
          _ = signal(number, SIG_IGN)
        #endif
        isRegistered.signal()
      }
      source.resume()
      // Nothing that has to be cleaned up may begin before.
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

  /// Ends the process by a signal, so that whoever started it sees that.
  static func terminate(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Dispatch's threads block signals, and then nobody would take it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), number)
    // Not reached, unless the signal does not end the process: then as shells report it.
    _exit(128 + number)
  }
}

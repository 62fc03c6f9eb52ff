@preconcurrency import Foundation

/// How the process takes signals.
package enum Signals {
  /// Sources stay as long as the process.
  private static let sources = Protected<[any DispatchSourceSignal]>([])

  /// What a signal that ends the process closes first.
  static let console = Protected<Console?>(nil)

  /// Prepares for signals, once, while there is one thread.
  ///
  /// SIGPIPE is ignored, for a server that closes a connection must not end the process; a closed
  /// standard output does so by itself, see `StandardStreams`. What ends the process at the terminal
  /// does so at once, and first takes the line of activity away.
  package static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let previous = signal(number, SIG_IGN)
      // Whoever started the process with the signal ignored, as nohup does, wants it so.
      if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
      let source = DispatchSource.makeSignalSource(
        signal: number,
        queue: DispatchQueue(label: "Signals")
      )
      source.setEventHandler { @Sendable in
        closeConsole()
        die(by: number)
      }
      source.resume()
      sources.withLock { $0.append(source) }
    }
  }

  /// Closes the console, if the terminal lets it.
  ///
  /// Not for longer than nobody notices: a thread may hold the console and wait for its reader.
  private static func closeConsole() {
    let isClosed = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      console.withLock { $0 }?.close()
      isClosed.signal()
    }
    _ = isClosed.wait(timeout: .now() + .milliseconds(100))
  }

  /// Ends the process by a signal, so that whoever started it sees that.
  static func die(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    // Dispatch's threads block signals, and then nobody would take it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    kill(getpid(), number)
    // It has come by now. If not, that is the code which a shell would show.
    _exit(128 + number)
  }
}

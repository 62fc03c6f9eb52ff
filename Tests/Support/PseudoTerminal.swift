import Foundation

/// A pseudoterminal, which acts as the terminal of a process.
package struct PseudoTerminal {
  /// The end of the pseudoterminal that a process uses as its terminal.
  package let slave: FileHandle
  package let master: Int32

  package init(columns: Int) throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard
      master >= 0, let name = PseudoTerminal.unlockedName(of: master),
      let slave = FileHandle(forUpdatingAtPath: name)
    else { throw POSIXError(.ENODEV) }
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.ENOTTY) }
    self.slave = slave
  }

  /// Unlocks the process's end of the pseudoterminal, and returns the path of this end.
  private static func unlockedName(of master: Int32) -> String? {
    #if canImport(Darwin)
      guard grantpt(master) == 0, unlockpt(master) == 0 else { return nil }
      return ptsname(master).map { String(cString: $0) }
    #else
      // Swift can't call Glibc's functions for pseudoterminals, so this method sends the requests
      // TIOCSPTLCK and TIOCGPTN.
      var (lock, number): (Int32, UInt32) = (0, 0)
      guard ioctl(master, 0x4004_5431, &lock) == 0, ioctl(master, 0x8004_5430, &number) == 0
      else { return nil }
      return "/dev/pts/\(number)"
    #endif
  }

  /// Reads the text that processes write to the terminal, until no process uses the terminal. The
  /// result's line breaks are single line feeds.
  package func text() -> Task<String, Never> {
    PseudoTerminal.read { [master] in
      let bytes = FileHandle(fileDescriptor: master, closeOnDealloc: true).allBytes()
      return Data(String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").utf8)
    }
  }

  /// Waits until a process writes to the terminal.
  package func waitUntilWrittenTo() {
    var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, -1)
  }

  /// Whether the terminal's echo is on, so that the terminal shows typed characters.
  package var echoes: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Types a text.
  package func type(_ text: String) {
    _ = text.withCString { Foundation.write(master, $0, strlen($0)) }
  }

  /// Calls a reading closure on a separate thread.
  package static func read(_ body: @escaping @Sendable () -> Data?) -> Task<String, Never> {
    Task {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(returning: String(decoding: body() ?? Data(), as: UTF8.self))
        }
      }
    }
  }
}

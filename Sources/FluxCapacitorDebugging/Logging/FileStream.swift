import FluxCapacitor
import Foundation

/// The file of a logger, to which it writes whole lines or none.
package final class FileStream: @unchecked Sendable {
  private let file: FileHandle

  // `writing` guards the two variables below.
  private let writing = Lock()

  /// The rest of a line that the file has taken in part, such as a full pipe.
  private var rest: ArraySlice<UInt8> = []

  /// Whether a block will try again to write the rest. The block keeps this object.
  private var isFinishing = false

  private let lock = Lock()
  // `lock` guards this variable.
  private var firstFailure: (any Error)?

  package init(_ file: FileHandle) { self.file = file }

  package var failure: (any Error)? { lock.withLock { firstFailure } }

  /// Writes a text, unless the file doesn't even take the rest of an earlier one.
  package func write(_ text: String) {
    // The null device of Foundation has no descriptor.
    if file === FileHandle.nullDevice { return }
    let isTorn = writing.withLock {
      attempt {
        try writeRest()
        rest = Array(text.utf8)[...]
        let count = rest.count
        do {
          try writeRest()
        } catch {
          if rest.count == count { rest = [] }
          throw error
        }
      }
      defer { isFinishing = !rest.isEmpty }
      return !rest.isEmpty && !isFinishing
    }
    if isTorn { finish(afterMilliseconds: 10) }
  }

  /// Writes the rest when the file takes it, at the latest a second after that.
  private func finish(afterMilliseconds pause: Int) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(pause)) { [self] in
      let isTorn = writing.withLock {
        attempt(writeRest)
        isFinishing = !rest.isEmpty
        return isFinishing
      }
      if isTorn { finish(afterMilliseconds: min(pause * 2, 1_000)) }
    }
  }

  private func attempt(_ body: () throws -> Void) {
    withoutFileSignals {
      do {
        // The handle throws an error if it's closed. Its descriptor might belong to another file.
        try file.write(contentsOf: Data())
        try body()
      } catch {
        // A full disk might have room later.
        let code = (error as? POSIXError)?.code
        if ![.EAGAIN, .ENOSPC, .EDQUOT, .EFBIG].contains(code) { rest = [] }
        lock.withLock { if firstFailure == nil { firstFailure = error } }
      }
    }
  }

  private func writeRest() throws {
    if rest.isEmpty { return }
    let output = file.reopened ?? file
    let type = output.type
    let (isRegular, isSocket) = (type == S_IFREG, type == S_IFSOCK)
    let canWait = fcntl(output.fileDescriptor, F_GETFL) & O_NONBLOCK == 0
    let isWaitingTerminal = canWait && isatty(output.fileDescriptor) == 1
    let most = isRegular ? .max : isWaitingTerminal ? 1 : Int(PIPE_BUF)
    while !rest.isEmpty {
      // A write would wait for room in a full pipe or on a stopped terminal that can't be reopened. A pipe with room
      // takes `PIPE_BUF` bytes at once, but a terminal with room might take only one. If another writer takes the
      // room in between, the write does wait. A regular file is always ready, and takes a whole line, so that the
      // lines of two processes don't mix.
      var polled = pollfd(fd: output.fileDescriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&polled, 1, 0) == 0 { throw POSIXError(.EAGAIN) }
      let count = rest.prefix(most).withUnsafeBytes {
        isSocket
          ? send(output.fileDescriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
          : Foundation.write(output.fileDescriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw POSIXError.last
      }
    }
  }
}

extension FileHandle {
  fileprivate var type: mode_t {
    var status = stat()
    fstat(fileDescriptor, &status)
    return status.st_mode & S_IFMT
  }

  /// The terminal or pipe, opened for writes that never wait, or nil for another file and for one that can't be
  /// reopened, such as a pipe without Linux's `/proc` or of another user. The handle itself stays as it is, because
  /// other writers share its flags. A terminal that nobody reads counts as ready, although it might not have room
  /// for a line.
  fileprivate var reopened: FileHandle? {
    var name = [CChar](repeating: 0, count: 1_024)
    if type == S_IFIFO {
      name = Array("/proc/self/fd/\(fileDescriptor)".utf8CString)
    } else if ttyname_r(fileDescriptor, &name, name.count) != 0 || strcmp(name, "/dev/ptmx") == 0 {
      // Opening `/dev/ptmx`, the name of every master, makes another pseudoterminal.
      return nil
    }
    let descriptor = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

/// Runs a closure while the signals are blocked that would otherwise end the process, when it writes to a closed pipe or to a
/// file that may not grow.
func withoutFileSignals(_ body: () throws -> Void) rethrows {
  var signals = sigset_t()
  var former = sigset_t()
  sigemptyset(&signals)
  for signal in fileSignals { sigaddset(&signals, signal) }
  pthread_sigmask(SIG_BLOCK, &signals, &former)
  let earlier = pendingFileSignals
  defer {
    for pending in pendingFileSignals where !earlier.contains(pending) {
      var own = sigset_t()
      var signal: CInt = 0
      sigemptyset(&own)
      sigaddset(&own, pending)
      sigwait(&own, &signal)
    }
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }
  try body()
}

private let fileSignals = [SIGPIPE, SIGXFSZ]

private var pendingFileSignals: [CInt] {
  var pending = sigset_t()
  sigpending(&pending)
  return fileSignals.filter { sigismember(&pending, $0) == 1 }
}

import BoardSample
import FluxCapacitorPersistence
import Foundation
import Synchronization

@main
struct BoardMain {
  /// The first error of writing to standard output. The board saves each edit, although its answer can't be read.
  private static let outputFailure = Mutex<Int32?>(nil)

  static func main() async {
    // If the reader of a pipe has gone, this signal would end the board before it saves the edit.
    signal(SIGPIPE, SIG_IGN)
    // Without HOME, Foundation takes `/home` for the home folder of each user.
    if getenv("HOME").map({ $0.pointee == 0 }) ?? true, let user = getpwuid(getuid()) {
      setenv("HOME", user.pointee.pw_dir, 1)
    }
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.showsHelp {
        write(Options.usage)
      } else {
        let board = try Board(folder: options.folder, server: SlowServer(), print: write)
        try await board.run(lines) { outputFailure.withLock { $0 } != EPIPE }
      }
    } catch let mistake as Mistake {
      fail(mistake.text, exitCode: 2)
    } catch let failure as KeeperFailure {
      fail("\(failure.reason) Choose another folder with --file.", exitCode: 1)
    } catch {
      fail("\(error)", exitCode: 1)
    }
    if let failure = outputFailure.withLock({ $0 }) {
      fail("Standard output can't be written: \(String(cString: strerror(failure))).", exitCode: 1)
    }
  }

  /// The lines of standard input. A queue reads each of them when the board needs it, because reading blocks the thread.
  private static var lines: AsyncStream<String> {
    let input = DispatchQueue(label: "input")
    // Only one block of the queue runs at a time.
    nonisolated(unsafe) var lines = InputLines()
    return AsyncStream {
      await withCheckedContinuation { continuation in
        input.async { continuation.resume(returning: lines.next()) }
      }
    }
  }

  @Sendable private static func write(_ text: String) {
    guard let failure = StandardStream.write(text, to: STDOUT_FILENO) else { return }
    outputFailure.withLock { if $0 == nil { $0 = failure } }
  }

  private static func fail(_ text: String, exitCode: Int32) -> Never {
    _ = StandardStream.write(text, to: STDERR_FILENO)
    exit(exitCode)
  }
}

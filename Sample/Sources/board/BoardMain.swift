import BoardSample
import FluxCapacitorPersistence
import Foundation

@main
struct BoardMain {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      guard !options.showsHelp else { return write(Options.usage) }
      let board = try Board(folder: options.folder, server: SlowServer(), print: write)
      try await board.run(lines)
    } catch let mistake as Mistake {
      fail(mistake.text, exitCode: 2)
    } catch let failure as KeeperFailure {
      fail("\(failure.reason) Choose another folder with --file.", exitCode: 1)
    } catch {
      fail("\(error)", exitCode: 1)
    }
  }

  /// The lines of standard input. `readLine` blocks, so a thread of its own calls it.
  private static var lines: AsyncStream<String> {
    AsyncStream { continuation in
      Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }

  @Sendable private static func write(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  private static func fail(_ text: String, exitCode: Int32) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(exitCode)
  }
}

import Foundation
import GitHubSample

@main
struct GitHubRepos {
  static func main() async {
    StandardStreams.fillGaps()
    // Without HOME, Foundation takes `/home` for the home folder of each user.
    if getenv("HOME").map({ $0.pointee == 0 }) ?? true, let user = getpwuid(getuid()) {
      setenv("HOME", user.pointee.pw_dir, 1)
    }
    TokenProtection.apply()
    let environment = CommandEnvironment.process
    Signals.prepare {
      TerminalEcho.end()
      environment.console.close(unless: StandardStreams.areStuck)
    }
    let exitCode = await run(
      arguments: CommandLine.arguments.dropFirst(),
      environment: environment
    )
    if exitCode == .closedPipe { Signals.terminate(by: SIGPIPE) }
    exit(exitCode.rawValue)
  }
}

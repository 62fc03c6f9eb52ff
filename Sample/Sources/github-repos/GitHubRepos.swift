import Foundation
import GitHubSample

@main
struct GitHubRepos {
  static func main() async {
    StandardStreams.fillGaps()
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
    exit(exitCode.rawValue)
  }
}

import Foundation
import GitHubSample

@main
struct GitHubRepos {
  static func main() async {
    StandardStreams.fillGaps()
    TokenProtection.apply()
    let environment = CommandEnvironment.process
    Signals.prepare(closing: environment.console)
    let exitCode = await run(
      arguments: CommandLine.arguments.dropFirst(),
      environment: environment
    )
    exit(exitCode.rawValue)
  }
}

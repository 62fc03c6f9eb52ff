import Foundation
import GitHubSample

@main
struct GitHubRepos {
  static func main() async {
    StandardStreams.fillGaps()
    Signals.prepare()
    TokenProtection.apply()
    let exitCode = await run(
      arguments: CommandLine.arguments.dropFirst(),
      environment: .process
    )
    exit(exitCode.rawValue)
  }
}

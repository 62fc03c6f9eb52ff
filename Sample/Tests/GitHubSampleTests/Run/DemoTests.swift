import GitHubSample
import Testing

struct DemoTests {
  @Test func demoListsAsManyRepositoriesAsTheLimitOption() async {
    let outcome = await runCommand("--demo OctoCat -L 13")

    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 13)
    #expect(
      lines.first == """
        octocat/Boysenberry-Clock\t4213\t381\tSwift\tpublic\t2025-09-14T09:41:00Z\t\
        Tells the time in fruit. Started as a joke, kept for the accuracy.
        """
    )
    #expect(outcome.errors == "")
    #expect(outcome.exitCode == .success)
  }

  private static let sessions: [(String, String)] = [
    (
      "search octo --demo",
      """
      Showing 3 of 3 users matching 'octo'

      LOGIN     KIND          NAME
      octocat   user          The Octocat
      octomona  user
      octo-org  organization  Octo Org 🐙

      """
    ),
    (
      "show octocat/hello-octopus --demo",
      """
      octocat/hello-octopus
      The first repository that everyone forks.
      ★ 2871 · 5120 forks · HTML · public, fork
      pushed 1 year ago · created 6 years ago
      https://github.com/octocat/hello-octopus

      """
    ),
  ]

  @Test(arguments: sessions)
  func demoShowsRecordedUsersAndARecordedRepositoryOnATerminal(line: String, output: String) async {
    let outcome = await runCommand(line, terminal: .plain, now: .ofTheReadme)

    #expect(outcome.output == output)
    #expect(outcome.exitCode == .success)
  }

  @Test func demoReportsAnOwnerWithoutARecordingAsUnknown() async {
    let outcome = await runCommand("--demo mona")

    #expect(outcome.errors.contains("The demo has no user or organization named 'mona'."))
    #expect(outcome.exitCode == .failure)
  }
}

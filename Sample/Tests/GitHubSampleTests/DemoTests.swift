import FluxCapacitor
import GitHubSample
import Testing

struct DemoTests {
  private func run(_ arguments: String..., recorder: ConsoleRecorder) async -> ExitCode {
    let environment = CommandEnvironment(
      session: MockApiSession(),
      demoSession: RecordedApiSession.demo,
      console: recorder.console
    )
    return await withDispatcher(Dispatcher()) {
      await GitHubSample.run(arguments: arguments, environment: environment)
    }
  }

  @Test func thirteenFromTwoPages() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("--demo", "-L", "13", recorder: recorder)

    #expect(
      recorder.output == """
        NAME                             STARS   FORKS  LANGUAGE          PUSHED      DESCRIPTION
        octocat/Boysenberry-Clock         4213     381  Swift             2025-09-14  Tells the time in fruit. Started as a joke, kept for the ac…
        octocat/hello-octopus             2871    5120  HTML              2024-02-29  The first repository that everyone forks.
        octocat/tide-tables               1954     207  Rust              2025-10-02  High and low water for 3,000 harbours, offline
        octocat/flux-aquarium             1420      96  Swift             2025-08-21  Unidirectional data flow, explained with fish 🐠
        octocat/inkwell                   1188     143  C++               2025-06-30  A text editor with eight cursors
        octocat/coral                      967      74  Go                2025-09-27  Grows a dependency graph, and prunes it
        octocat/nautilus-spiral            731      52  Python            2023-11-08  Logarithmic spirals in the terminal
        octocat/kaizu                      645      38  TypeScript        2025-07-19  港と航路のための小さな地図ライブラリ
        octocat/sucker-punch               512      61  Ruby              2022-05-17  Load tests with a grip
        octocat/ink-cloud                  498      29  Swift             2025-09-01  Hides what should not be logged
        octocat/eight-arms                 377      44  Rust              2024-12-12  Runs eight jobs at once and waits for the slowest
        octocat/moray                      305      18  C                 2021-03-03
        octocat/lantern                    288      31  JavaScript        2025-05-25  A status page that glows in the dark 🏮

        """
    )
    #expect(
      recorder.errors == """
        Fetched 12 of 36 repositories
        Fetched 13 of 36 repositories
        Showing 13 of 36 repositories; see --limit and --all.

        """
    )
    #expect(exitCode == .success)
  }

  @Test func allOfThem() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("--demo", "OctoCat", "--all", recorder: recorder)

    #expect(recorder.output.split(separator: "\n").count == 37)
    #expect(
      recorder.errors == """
        Fetched 12 of 36 repositories
        Fetched 24 of 36 repositories
        Fetched 36 of 36 repositories

        """
    )
    #expect(exitCode == .success)
  }

  @Test func anotherOwnerIsUnknown() async {
    let recorder = ConsoleRecorder()

    let exitCode = await run("--demo", "mona", recorder: recorder)

    #expect(
      recorder.errors == """
        github-repos: The demo knows no user or organization named 'mona'. Check the spelling.

        """
    )
    #expect(exitCode == .failure)
  }
}

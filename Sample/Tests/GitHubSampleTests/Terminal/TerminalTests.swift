import GitHubSample
import Testing

struct TerminalTests {
  private func terminal(
    outputWidth: Int? = 80,
    isOutputTerminal: Bool = true,
    isErrorTerminal: Bool = true,
    variables: [String: String] = [:]
  ) -> Terminal {
    Terminal(
      outputWidth: outputWidth,
      isOutputTerminal: isOutputTerminal,
      isErrorTerminal: isErrorTerminal,
      variables: variables
    )
  }

  private static let cases: [([String: String], Bool, Bool)] = [
    ([:], true, true),
    ([:], false, false),
    (["NO_COLOR": "1"], true, false),
    (["NO_COLOR": ""], true, true),
    (["CLICOLOR": "0"], true, false),
    (["TERM": "dumb"], true, false),
    (["CLICOLOR_FORCE": "1"], false, true),
    (["CLICOLOR_FORCE": "0"], false, false),
    (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], true, true),
  ]

  @Test(arguments: cases)
  func useOfColorsDependsOnTheTerminalAndTheEnvironment(
    variables: [String: String],
    isTerminal: Bool,
    hasColors: Bool
  ) {
    let terminal = terminal(isOutputTerminal: isTerminal, variables: variables)

    #expect(terminal.hasColors == hasColors)
  }

  @Test func terminalWidthComesFromTheTerminalOrElseFromTheEnvironment() {
    #expect(terminal(outputWidth: 132, variables: ["COLUMNS": "70"]).width == 132)
    #expect(terminal(outputWidth: nil, variables: ["COLUMNS": "70"]).width == 70)
    #expect(terminal(outputWidth: nil, variables: ["COLUMNS": "-1"]).width == 80)
    #expect(terminal(outputWidth: nil).width == 80)
  }

  @Test(arguments: [
    (true, true, true), (true, false, false), (false, true, false), (false, false, false),
  ])
  func spinnerIsShownOnlyIfTheOutputAndErrorStreamsAreTerminals(
    output: Bool,
    errors: Bool,
    showsActivity: Bool
  ) {
    let terminal = terminal(isOutputTerminal: output, isErrorTerminal: errors)

    #expect(terminal.showsActivity == showsActivity)
  }
}

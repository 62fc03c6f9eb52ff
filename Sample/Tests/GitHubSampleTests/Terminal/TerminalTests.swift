import GitHubSample
import Testing

struct TerminalTests {
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
    let terminal = Terminal(
      outputWidth: 80,
      isOutputTerminal: isTerminal,
      isErrorTerminal: true,
      variables: variables
    )

    #expect(terminal.hasColors == hasColors)
  }

  @Test func terminalWidthComesFromTheTerminalOrElseFromTheEnvironment() {
    func width(_ outputWidth: Int?, _ variables: [String: String]) -> Int? {
      Terminal(
        outputWidth: outputWidth,
        isOutputTerminal: true,
        isErrorTerminal: false,
        variables: variables
      ).width
    }

    #expect(width(132, ["COLUMNS": "70"]) == 132)
    #expect(width(nil, ["COLUMNS": "70"]) == 70)
    #expect(width(nil, ["COLUMNS": "-1"]) == 80)
    #expect(width(nil, [:]) == 80)
  }

  @Test(arguments: [
    (true, true, true), (true, false, false), (false, true, false), (false, false, false),
  ])
  func spinnerIsShownOnlyIfTheOutputAndErrorStreamsAreTerminals(
    output: Bool,
    errors: Bool,
    showsActivity: Bool
  ) {
    let terminal = Terminal(
      outputWidth: nil,
      isOutputTerminal: output,
      isErrorTerminal: errors,
      variables: [:]
    )

    #expect(terminal.showsActivity == showsActivity)
  }
}

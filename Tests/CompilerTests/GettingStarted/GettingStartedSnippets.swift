import FluxCapacitor
import FluxCapacitorTesting
import Testing

// The programs and tests of the article "Getting started". `GettingStartedTests` builds and runs the programs
// and tests as separate packages, as the article describes.

private enum GettingStartedSnippets {
  static func asking() async throws {
    let service = OfflineCapitalService()
    print(try await service.capital(of: "France"))
  }

  @MainActor
  static func showing() async {
    let printer = CapitalPrinter(service: OfflineCapitalService())
    await printer.ask(for: "France")
    await printer.ask(for: "Atlantis")
  }
}

struct MockCapitalService: CapitalService {
  let answer: @Sendable (_ country: String) async throws -> String

  func capital(of country: String) async throws -> String {
    try await answer(country)
  }
}

@Suite(.isolatedDispatcher)
struct CapitalActionTests {
  private let store = CapitalStore.instantiate()

  @Test func findCapitalLoadsTheAnswerOfTheService() async {
    let action = CapitalAction(service: MockCapitalService { "The capital of \($0)" })

    await action.findCapital(of: "France").value

    #expect(store.phase.value == .loaded(capital: "The capital of France"))
  }

  @Test func newerQuestionSupersedesTheOlderQuestion() async {
    let gate = Gate()
    let action = CapitalAction(
      service: MockCapitalService { country in
        if country == "Peru" { await gate.pass() }
        return "The capital of \(country)"
      }
    )

    let older = action.findCapital(of: "Peru")
    await gate.reached()
    await action.findCapital(of: "Japan").value
    gate.open()
    await older.value

    #expect(store.phase.value == .loaded(capital: "The capital of Japan"))
  }
}

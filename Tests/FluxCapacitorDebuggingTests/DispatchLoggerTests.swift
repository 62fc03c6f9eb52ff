import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct DispatchLoggerTests {
  private let text = Text()

  @Test func dispatchLoggerWritesOneLinePerDispatch() throws {
    let store = AccountStore.instantiate()
    let logger = DispatchLogger(to: text)

    AccountAction().invoke(.rename("Emmett"))
    let line = #line - 1
    AccountAction().invoke(.signOut)

    #expect(
      text.lines.map { $0.replacing(/[0-9.,]+ ?μs/, with: "TIME") } == [
        #"1 Account.rename("Emmett") → AccountStore, TIME, \#(file):\#(line)"#,
        "2 Account.signOut → AccountStore, TIME, \(file):\(line + 2)",
      ]
    )
    withExtendedLifetime((store, logger)) {}
  }

  @Test func dispatchLoggerWritesChangesOnTheLinesBelowADispatch() {
    let store = AccountStore.instantiate()
    let logger = DispatchLogger(format: .textWithChanges, to: text)

    AccountAction().invoke(.rename("Emmett"))

    #expect(text.lines.dropFirst() == [#"    AccountStore.name: "" → "Emmett""#])
    withExtendedLifetime((store, logger)) {}
  }

  @Test func dispatchLoggerNeverWritesSecrets() throws {
    let store = AccountStore.instantiate()
    let loggers = [DispatchLogger.Format.text, .textWithChanges, .jsonLines].map {
      DispatchLogger(format: $0, to: text)
    }

    AccountAction().invoke(.signIn(Token(text: "s3cret"), name: "Emmett"))
    AccountAction().invoke(.signInAll(["a": [Token(text: "s3cret")], "b": []]))

    #expect(!text.all.contains("s3cret"))
    #expect(text.all.contains(#"Account.signIn(•••, name: "Emmett")"#))
    #expect(text.all.contains("AccountStore.token: nil → •••"))
    #expect(text.all.contains(#""a": [•••]"#))
    withExtendedLifetime((store, loggers)) {}
  }

  @Test func dispatchLoggerWritesLinesOfValidJSON() throws {
    let store = AccountStore.instantiate()
    let logger = DispatchLogger(format: .jsonLines, to: text)
    let name = "\"\\\u{0}\n\u{2028}</script>"

    AccountAction().invoke(.rename(name))

    #expect(text.lines.count == 1)
    let data = Data(text.lines[0].utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["sequence"] as? Int == 1)
    #expect(object["type"] as? String == "Account")
    #expect(object["stores"] as? [String] == ["AccountStore"])
    #expect(object["file"] as? String == file)
    let changes = try #require(object["changes"] as? [[String: String]])
    #expect(changes[0]["name"] == "name")
    #expect(changes[0]["new"] == #""\"\\\0\n\u{2028}</script>""#)
    withExtendedLifetime((store, logger)) {}
  }

  @Test func dispatchLoggerWritesOnlyStatesOfTheChosenTypes() {
    let logger = DispatchLogger(of: [Ping.self], to: text)

    AccountAction().invoke(.signOut)
    PingAction().invoke(.ping)

    #expect(text.lines.count == 1)
    #expect(text.lines.first?.hasPrefix("2 Ping.ping → no store, ") == true)
    withExtendedLifetime(logger) {}
  }

  @Test func freedDispatchLoggerWritesNoFurtherLines() {
    do {
      let logger = DispatchLogger(to: text)
      AccountAction().invoke(.signOut)
      withExtendedLifetime(logger) {}
    }
    AccountAction().invoke(.signOut)

    #expect(text.lines.count == 1)
  }

  @Test func dispatchLoggerStoresTheErrorWhenItsFileHandleIsClosed() throws {
    let pipe = Pipe()
    let logger = DispatchLogger(to: pipe.fileHandleForWriting)

    AccountAction().invoke(.signOut)
    #expect(logger.failure == nil)
    try pipe.fileHandleForWriting.close()
    AccountAction().invoke(.signOut)

    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.hasPrefix("1 Account.signOut → no store, ") && text.hasSuffix("\n"))
    #expect(text.split(separator: "\n").count == 1)
    #expect(logger.failure != nil)
  }

  /// The logger suppresses the `SIGPIPE` signal, which would end the process.
  @Test func dispatchLoggerDoesNotEndTheProcessWhenItsPipeIsClosed() throws {
    let pipe = Pipe()
    let logger = DispatchLogger(to: pipe.fileHandleForWriting)
    try pipe.fileHandleForReading.close()

    for _ in 0..<10 { AccountAction().invoke(.signOut) }

    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
    #expect(logger.failure != nil)
  }

  private let file = "FluxCapacitorDebuggingTests/DispatchLoggerTests.swift"
}

private struct Token: Secret, Equatable {
  let text: String
}

private enum Account: DispatchState {
  typealias RelatedStoreType = AccountStore
  typealias RelatedActionType = AccountAction

  case rename(String)
  case signIn(Token, name: String)
  case signInAll([String: [Token]])
  case signOut
}

private struct AccountAction: Actionable {
  typealias DispatchStateType = Account
}

private final class AccountStore: Storable {
  var name: Constant<String> { _name.constant }
  private let _name = Variable("")
  private let token = Variable<Token?>(nil)

  func reduce(with state: Account) {
    switch state {
    case .rename(let name): _name.value = name
    case .signIn(let token, let name):
      self.token.value = token
      _name.value = name
    case .signInAll(let tokens): token.value = tokens.values.joined().first
    case .signOut: token.value = nil
    }
  }
}

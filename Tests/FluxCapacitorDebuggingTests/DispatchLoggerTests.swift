import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTestSupport
import FluxCapacitorTesting
import Foundation
import Testing

@Suite(.isolatedDispatcher)
struct DispatchLoggerTests {
  private let store = AccountStore.instantiate()
  private let text = Text()

  @Test func dispatchLoggerWritesOneLinePerDispatch() throws {
    let logger = DispatchLogger(to: text)

    Invoker<Account>().invoke(.rename("Emmett"))
    let line = #line - 1
    Invoker<Account>().invoke(.signOut)

    #expect(
      text.lines.map { $0.replacing(/[0-9.,]+ ?μs/, with: "TIME") } == [
        #"1 Account.rename("Emmett") → AccountStore, TIME, \#(file):\#(line)"#,
        "2 Account.signOut → AccountStore, TIME, \(file):\(line + 2)",
      ]
    )
    withExtendedLifetime(logger) {}
  }

  @Test func dispatchLoggerWritesALineForEachCreatedAndReleasedStore() {
    let loggers = [DispatchLogger(to: text), DispatchLogger(format: .jsonLines, to: text)]
    do {
      let shelf = ShelfStore.instantiate()
      Invoker<Account>().invoke(.signOut)
      withExtendedLifetime(shelf) {}
    }
    Invoker<Account>().invoke(.signOut)
    Invoker<Account>().invoke(.signOut)

    #expect(text.lines[0] == "+ ShelfStore was created")
    #expect(text.lines[1].hasPrefix("1 Account.signOut → AccountStore, "))
    #expect(text.lines[2].contains(#""created":["ShelfStore"]"#))
    #expect(text.lines[3] == "− ShelfStore was released")
    #expect(text.lines[5].contains(#""released":["ShelfStore"]"#))
    #expect(text.lines.dropFirst(6).allSatisfy { !$0.contains("Shelf") })
    withExtendedLifetime(loggers) {}
  }

  @Test func dispatchLoggerNeverWritesSecrets() throws {
    let loggers = [DispatchLogger.Format.text, .textWithChanges, .jsonLines].map {
      DispatchLogger(format: $0, to: text)
    }

    Invoker<Account>().invoke(.signIn(Token(text: "s3cret"), name: "Emmett"))
    Invoker<Account>().invoke(.signInAll(["a": [Token(text: "s3cret")], "b": []]))

    #expect(!text.all.contains("s3cret"))
    #expect(text.all.contains(#"Account.signIn(•••, name: "Emmett")"#))
    #expect(text.all.contains("AccountStore.token: nil → •••"))
    #expect(text.all.contains(#""a": [•••]"#))
    withExtendedLifetime(loggers) {}
  }

  @Test func dispatchLoggerWritesLinesOfValidJSON() throws {
    let logger = DispatchLogger(format: .jsonLines, to: text)
    let name = "\"\\\u{0}\n\u{2028}</script>"

    Invoker<Account>().invoke(.rename(name))

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
    withExtendedLifetime(logger) {}
  }

  /// A terminal obeys the controls in the range from U+0080, and the bidirectional controls change the order.
  @Test(arguments: [DispatchLogger.Format.text, .textWithChanges, .jsonLines])
  func dispatchLoggerEscapesAllCharactersThatControlATerminal(format: DispatchLogger.Format) throws
  {
    let logger = DispatchLogger(format: format, to: text)
    let controls: [ClosedRange<UInt32>] = [
      0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
    ]
    let scalars = controls.joined().compactMap(Unicode.Scalar.init)

    for scalar in scalars {
      Invoker<Account>().invoke(.rename("a\(scalar)b"))
      Invoker<Account>().invoke(.describe(Described(description: "a\(scalar)b")))
    }

    let written = text.all.unicodeScalars
    for scalar in scalars { #expect(!written.contains(scalar), "\(scalar.value)") }
    #expect(Set(text.lines.map { $0.drop(while: \.isNumber) }).count >= scalars.count * 2)
    #expect(text.all.contains("a\\u{9B}b") == (format != .jsonLines))
    if format == .jsonLines {
      for line in text.lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }
    withExtendedLifetime(logger) {}
  }

  @Test func dispatchLoggerWritesOnlyStatesOfTheChosenTypes() {
    let logger = DispatchLogger(of: [Dispatcher.Counter.self], to: text)

    Invoker<Account>().invoke(.signOut)
    CounterAction().invoke(.leaveAlone)

    #expect(text.lines.count == 1)
    #expect(text.lines.first?.hasPrefix("2 Counter.leaveAlone → no store, ") == true)
    withExtendedLifetime(logger) {}
  }

  @Test func freedDispatchLoggerWritesNoFurtherLines() {
    do {
      let logger = DispatchLogger(to: text)
      Invoker<Account>().invoke(.signOut)
      withExtendedLifetime(logger) {}
    }
    Invoker<Account>().invoke(.signOut)

    #expect(text.lines.count == 1)
  }

  @Test func dispatchLoggerStoresTheErrorWhenItsFileHandleIsClosed() throws {
    let pipe = Pipe()
    let logger = DispatchLogger(to: pipe.fileHandleForWriting)

    Invoker<Account>().invoke(.signOut)
    #expect(logger.failure == nil)
    try pipe.fileHandleForWriting.close()
    Invoker<Account>().invoke(.signOut)

    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.hasPrefix("1 Account.signOut → AccountStore, ") && text.hasSuffix("\n"))
    #expect(text.split(separator: "\n").count == 1)
    #expect(logger.failure != nil)
  }

  @Test func dispatchLoggerWritesNothingToTheNullDevice() {
    let logger = DispatchLogger(to: FileHandle.nullDevice)

    Invoker<Account>().invoke(.signOut)

    #expect(logger.failure == nil)
  }

  /// A full pipe takes a part of a long line, and would stop the writer if it may block. The reader then makes room.
  @Test(arguments: [1, 3, 8], [false, true])
  func linesOfAFullPipeAreWholeOrMissing(readBetween lines: Int, mayBlock: Bool) throws {
    let pipe = Pipe()
    let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    for handle in mayBlock ? [reader] : [reader, writer] {
      let flags = fcntl(handle.fileDescriptor, F_GETFL)
      #expect(fcntl(handle.fileDescriptor, F_SETFL, flags | O_NONBLOCK) == 0)
    }
    var received: [UInt8] = []
    func receive() {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(reader.fileDescriptor, &bytes, bytes.count)
      received += bytes.prefix(max(0, count))
    }
    let stream = FileStream(writer)
    let text = { (number: Int) in
      "\(number) " + String(repeating: "x", count: 30_000 + number) + "\n"
    }
    for number in 1...40 {
      stream.write(text(number))
      if number.isMultiple(of: lines) { receive() }
    }
    for _ in 1...3 { receive() }
    stream.write("41\n")
    receive()

    let whole = String(decoding: received, as: UTF8.self)
    let numbers = whole.split(separator: "\n").compactMap { Int($0.prefix { $0 != " " }) }
    #expect(whole == numbers.map { $0 == 41 ? "41\n" : text($0) }.joined())
    #expect(numbers.last == 41)
    #expect((stream.failure == nil) == (lines == 1))
  }

  /// The reader comes late, and the stream is gone.
  @Test(arguments: [0, O_NONBLOCK]) func lastLineOfAFullPipeIsCompleted(flag: CInt) {
    let pipe = Pipe()
    let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    let flags = fcntl(writer.fileDescriptor, F_GETFL)
    #expect(fcntl(writer.fileDescriptor, F_SETFL, flags | flag) == 0)
    let text = String(repeating: "x", count: 300_000) + "\n"
    FileStream(writer).write(text)

    var received: [UInt8] = []
    while received.last != UInt8(ascii: "\n") {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(reader.fileDescriptor, &bytes, bytes.count)
      received += bytes.prefix(count)
    }
    #expect(received == Array(text.utf8))
    withExtendedLifetime(writer) {}
  }

  /// A terminal that nobody reads counts as ready, although it has no room for the line.
  @Test func loggerDoesNotWaitForATerminalThatNobodyReads() async throws {
    let line = String(repeating: "x", count: 10_000) + "\n"
    let text: Task<String, Never>
    do {
      let terminal = try PseudoTerminal(columns: 80)
      let stream = FileStream(terminal.slave)
      for _ in 1...100 { stream.write(line) }
      #expect((stream.failure as? POSIXError)?.code == .EAGAIN)
      text = terminal.text()
    }

    // The stream releases the terminal after it has written the rest of a line.
    let written = await text.value
    #expect(!written.isEmpty && written.replacing(line, with: "").isEmpty)
  }

  /// Another user owns the terminal in `sudo -u other tool`. A limit of open files stands in for this.
  @Test(.timeLimit(.minutes(20))) func loggerDoesNotWaitForATerminalThatItCannotReopen() async {
    await #expect(processExitsWith: .success) {
      let terminal = try PseudoTerminal(columns: 80)
      var limits = rlimit()
      getrlimit(openFiles, &limits)
      var none = rlimit(rlim_cur: 1, rlim_max: limits.rlim_max)
      setrlimit(openFiles, &none)

      let stream = FileStream(terminal.slave)
      stream.write("the first line\n")
      for _ in 1...100 { stream.write(String(repeating: "x", count: 10_000) + "\n") }

      setrlimit(openFiles, &limits)
      #expect((stream.failure as? POSIXError)?.code == .EAGAIN)
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(read(terminal.master, &bytes, bytes.count) == bytes.count)
      #expect(String(decoding: bytes, as: UTF8.self) == "the first line\r\n")
    }
  }

  /// The name of a master is that of a device which makes another pseudoterminal each time it is opened.
  @Test(.timeLimit(.minutes(20))) func loggerWritesToTheMasterOfAPseudoterminal() throws {
    let terminal = try PseudoTerminal(columns: 80)
    let stream = FileStream(FileHandle(fileDescriptor: terminal.master))

    for _ in 1...2_000 { stream.write(String(repeating: "x", count: 99) + "\n") }

    let failure = try #require(stream.failure as? POSIXError)
    #expect(failure.code == .EAGAIN)
    let line = try #require(try terminal.slave.read(upToCount: 100))
    #expect(line == Data(repeating: UInt8(ascii: "x"), count: 99) + Data("\n".utf8))
  }

  #if os(Linux)
    /// Another logger of the same pipe or socket also finds room for its line.
    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func loggerDoesNotWaitWhenAnotherOneTakesTheRoom(isSocket: Bool) {
      var (ends, room): ([CInt], CInt) = ([0, 0], 1)
      if isSocket {
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<CInt>.size))
      } else {
        #expect(pipe(&ends) == 0)
      }
      let handles = ends.map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
      let streams = (1...2).map { _ in FileStream(handles[1]) }
      let line = String(repeating: "x", count: Int(PIPE_BUF) - 1) + "\n"
      while streams[0].failure == nil { streams[0].write(line) }

      var page = [UInt8](repeating: 0, count: Int(PIPE_BUF))
      for _ in 1...5_000 {
        read(ends[0], &page, page.count)
        DispatchQueue.concurrentPerform(iterations: streams.count) { streams[$0].write(line) }
      }

      #expect(streams.allSatisfy { ($0.failure as? POSIXError)?.code == .EAGAIN })
      withExtendedLifetime(handles) {}
    }

    /// A limit of the file's size stands in for a full disk.
    @Test func lineThatAFullDiskHasCutIsCompletedBeforeTheNextLine() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let file = folder.file("log")
        try Data().write(to: file)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limits = rlimit()
        getrlimit(resource, &limits)
        let stream = FileStream(try FileHandle(forWritingTo: file))

        func write(_ line: String, with room: rlim_t) {
          var limits = rlimit(rlim_cur: room, rlim_max: limits.rlim_max)
          setrlimit(resource, &limits)
          stream.write(line)
        }
        write("a whole line\n", with: 20)
        write("a line that is cut\n", with: 20)
        write("a lost line\n", with: 20)
        write("the last line\n", with: limits.rlim_max)

        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text == "a whole line\na line that is cut\nthe last line\n")
        #expect(stream.failure != nil)
      }
    }
  #endif

  @Test func dispatchLoggerDoesNotReadAnUnownedObject() {
    let store = GuestStore.instantiate()
    let logger = DispatchLogger(format: .textWithChanges, to: text)

    Invoker<Visit>().invoke(.begin)

    withExtendedLifetime((store, logger)) {}
    #expect(text.all.contains("count: 0 → 1"))
  }

  /// The logger suppresses the `SIGPIPE` signal, which would end the process.
  @Test func dispatchLoggerDoesNotEndTheProcessWhenItsPipeIsClosed() throws {
    let pipe = Pipe()
    let logger = DispatchLogger(to: pipe.fileHandleForWriting)
    try pipe.fileHandleForReading.close()

    for _ in 0..<10 { Invoker<Account>().invoke(.signOut) }

    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
    #expect(logger.failure != nil)
  }

  private let file = "FluxCapacitorDebuggingTests/DispatchLoggerTests.swift"
}

#if os(Linux)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif

private enum Visit: DispatchState {
  typealias RelatedStoreType = GuestStore

  case begin
}

/// A store with a reference to an object that is gone.
private final class GuestStore: Storable {
  private final class Host: Sendable {}

  private let count = Variable(0)
  private unowned let host: Host

  init() {
    let host = Host()
    self.host = host
  }

  func reduce(with _: Visit) { count.value += 1 }
}

private struct Token: Secret, Equatable {
  let text: String
}

private struct Described: CustomStringConvertible {
  let description: String
}

private enum Account: DispatchState {
  typealias RelatedStoreType = AccountStore

  case rename(String)
  case describe(Described)
  case signIn(Token, name: String)
  case signInAll([String: [Token]])
  case signOut
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
    case .describe: break
    }
  }
}

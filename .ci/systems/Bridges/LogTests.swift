import FluxCapacitor
import FluxCapacitorDebugging
import FluxCapacitorTesting
import Logging
import Testing

/// Tests of a `DispatchLogger` that writes to swift-log.
@Suite(.isolatedDispatcher, .timeLimit(.minutes(20)))
struct LogTests {
  @Test func dispatchesReachTheBackendOfSwiftLogInOrder() {
    let lines = Variable<[String]>([])
    var log = Logger(label: "flow") { _ in Backend(lines: lines) }
    log.logLevel = .debug
    let logger = DispatchLogger { [log] in log.debug("\($0)") }
    let store = CounterStore.instantiate()

    CounterAction().increment()
    CounterAction().invoke(.reset)

    #expect(lines.value.count == 2)
    #expect(lines.value.first?.contains("Counter.add(1)") == true)
    #expect(lines.value.last?.contains("Counter.reset") == true)
    withExtendedLifetime((store, logger)) {}
  }
}

private struct Backend: LogHandler {
  let lines: Variable<[String]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  init(lines: Variable<[String]>) { self.lines = lines }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.value.append("\(event.message)") }
}

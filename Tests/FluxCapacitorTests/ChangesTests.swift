import Dispatch
import FluxCapacitor
import FluxCapacitorTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ChangesTests {
  private let variable = Variable(1)
  private let log = Log<[Int]>()
  private let dusts = DustBuster()

  @Test func observeChangesPassesTheOldAndNewValueOfEveryChange() {
    Constant(variable).observeChanges { [log] in log.append([$0, $1]) }.cleaned(by: dusts)
    #expect(log.entries.isEmpty)
    variable.value = 2
    variable.value = 2
    variable.modify { $0 = 5 }

    #expect(log.entries == [[1, 2], [2, 2], [2, 5]])
  }

  @Test func observeChangesReceivesATransactionAsOneChange() {
    variable.observeChanges { [log] in log.append([$0, $1]) }.cleaned(by: dusts)

    Dispatcher().transaction {
      variable.value = 2
      variable.value = 3
    }

    #expect(log.entries == [[1, 3]])
  }

  @Test func observeChangesDeliversAWriteInsideTheObserverAfterTheObserverReturns() {
    variable.observeChanges { [variable, log] old, new in
      if new == 2 { variable.value = 3 }
      log.append([old, new])
    }.cleaned(by: dusts)
    variable.value = 2

    #expect(log.entries == [[1, 2], [2, 3]])
  }

  @Test func observeChangesPassesTheOldValueNilOfAnOptionalVariable() {
    let variable = Variable<Int?>(nil)
    let log = Log<[Int?]>()

    variable.observeChanges { log.append([$0, $1]) }.cleaned(by: dusts)
    variable.value = 1
    variable.value = nil

    #expect(log.entries == [[nil, 1], [1, nil]])
  }

  @Test func observeChangesOnAQueueCallsTheObserverOnThatQueue() {
    let queue = DispatchQueue(label: "changes")

    variable.observeChanges(on: .queue(queue)) { [log] old, new in
      dispatchPrecondition(condition: .onQueue(queue))
      log.append([old, new])
    }.cleaned(by: dusts)
    variable.value = 2
    queue.sync {}

    #expect(log.entries == [[1, 2]])
  }

  @Test @MainActor func observeChangesOnMainCallsTheObserverOnTheMainActor() {
    let view = Table()

    variable.observeChanges(on: .main) { view.changes.append([$0, $1]) }.cleaned(by: dusts)
    variable.value = 2

    #expect(view.changes == [[1, 2]])
  }

  @Test func cleanReleasesTheLastValueThatObserveChangesDelivered() {
    let tally = Tally()
    let variable = Variable<Counted?>(Counted(tally))
    let dust = variable.observeChanges { _, _ in }
    variable.value = Counted(tally)
    #expect(tally.value == 1)

    dust.clean()
    variable.value = nil

    #expect(tally.value == 0)
  }

  /// No lock guards `chain`, so the thread sanitizer detects overlapping calls of the observer.
  @Test(.oneAtATime, arguments: [false, true])
  func observeChangesPassesThePreviousNewValueAsTheOldValueDuringConcurrentWrites(isOnQueue: Bool) {
    let queue = DispatchQueue(label: "changes", attributes: .concurrent)
    let variable = Variable(0)
    let chain = Chain()
    variable.observeChanges(on: isOnQueue ? .queue(queue) : .current) {
      chain.append($0, $1)
    }.cleaned(by: dusts)

    inParallel(8) { _ in
      for _ in 0..<stress(25_000) { variable.value += 1 }
    }
    queue.sync(flags: .barrier) {}

    #expect(chain.isUnbroken)
    #expect(chain.last == stress(200_000))
  }
}

@MainActor
private final class Table {
  var changes: [[Int]] = []
}

private final class Chain: @unchecked Sendable {
  private(set) var last = 0
  private(set) var isUnbroken = true

  func append(_ old: Int, _ new: Int) {
    isUnbroken = isUnbroken && old == last && new == old + 1
    last = new
  }
}

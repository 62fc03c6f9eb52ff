#if DEBUG
  @testable import FluxCapacitor
  import Observation
  import Testing

  /// V7 and B12: a table frees the resources of a row that no code uses any longer.
  struct TableLifetimeTests {
    private let tally = Tally()
    private let cards = table("a")

    /// A row with an object, so that a test can see when the row is freed.
    private struct Holder: Identifiable {
      let id: Int
      let counted: Counted
    }

    @Test func removingARowFreesTheRow() {
      let table = VariableTable([Holder(id: 1, counted: Counted(tally))])
      let dust = table.row(id: 1).observe { _ in }
      let row = table.row(id: 1)
      _ = row.value

      table.remove(id: 1)

      #expect(tally.value == 0)
      dust.clean()
    }

    @MainActor @Test func rowWhoseChangeABodyHasMissedIsReleasedAfterTheNotification() async {
      let cards = table("ab")
      withObservationTracking {
        _ = cards.constant[id: "a"]
        inParallel(1) { _ in cards[id: "a"]?.title = "other" }
      } onChange: { [tally] in
        tally.add(1)
      }

      await mainQueueIsEmpty()

      #expect(tally.value == 1)
      #expect(cards.partCount == 0)
    }

    @Test func cleaningTheLastObserverOfARowFreesItsClosure() {
      let dusts = DustBuster()
      for id in ["a", "missing"] {
        let counted = Counted(tally)
        cards.row(id: id).observe { _ = counted.pass($0) }.cleaned(by: dusts)
      }
      #expect(tally.value == 2)

      cards.remove(id: "a")
      dusts.clean()

      #expect(tally.value == 0)
      #expect(cards.partCount == 0)
    }

    @Test func unusedRowHasNoPart() {
      let cards = table("ab")
      do {
        let row = cards.row(id: "a")
        _ = (row.value, cards.row(id: "missing").value, cards.ids.value)
        #expect(cards.partCount == 1)
      }
      #expect(cards.partCount == 0)

      let dust = cards.row(id: "a").map { $0?.title }.observe { _ in }
      #expect(cards.partCount == 1)
      dust.clean()
      #expect(cards.partCount == 0)
    }

    @Test func freeingATableFreesTheObserversOfItsRows() {
      do {
        let cards = table("a")
        let counted = Counted(tally)
        _ = cards.row(id: "a").observe { _ = counted.pass($0) }
        _ = cards.row(id: "missing").observe { _ = counted.pass($0) }
        _ = cards.ids.observe { _ = counted.pass($0) }
        _ = cards.rows.observe { _ = counted.pass($0) }
        _ = cards.observeChanges { _ = counted.pass($0) }
        cards[id: "a"]?.title = "other"
      }

      #expect(tally.value == 0)
    }

    @Test func constantOfARowOutlivesItsTable() {
      do {
        var cards: VariableTable? = table("a")
        let row = cards?.row(id: "a")
        let counted = Counted(tally)
        _ = row?.observe { _ = counted.pass($0) }

        cards = nil

        #expect(row?.value == Card("a"))
        #expect(tally.value == 1)
      }
      #expect(tally.value == 0)
    }

    @Test func rowsThatViewsHaveShownAreFreedAfterTheirNextChange() {
      let cards = table("abc")
      for id in ["a", "b", "missing"] { track(cards.row(id: id)) }
      #expect(cards.partCount == 3)

      cards[id: "a"]?.title = "other"
      cards.remove(id: "b")
      cards.append(Card("missing"))

      #expect(cards.partCount == 0)
    }

    /// A view whose state selects one row after another, most of them missing.
    @Test func rowsThatAViewNoLongerShowsAreFreedBeforeTheirNextChange() {
      let selection = Variable(0)
      for number in 1...10_000 {
        withObservationTracking {
          _ = cards.row(id: "\(selection.constant.value)").map { $0?.title }.value
        } onChange: {
        }
        selection.value = number
      }

      #expect(cards.partCount < 100)
    }

    @Test func rowsThatViewsStillShowAreKeptAndReportTheirNextChange() {
      let cards = table("")
      let calls = Tally()
      let ids = (0..<1_000).map { "\($0)" }
      for id in ids {
        track(cards.row(id: id)) { calls.add() }
      }
      #expect(cards.partCount == 1_000)

      for id in ids { cards.append(Card(id)) }

      #expect(calls.value == 1_000)
      #expect(cards.partCount == 0)
    }

    @Test func rowThatWasCombinedIsFreedWithItsLastObserver() {
      let cards = table("ab")
      let dust = cards.row(id: "a").observe { _ in }
      do { _ = Constant.combine(cards.row(id: "a"), cards.row(id: "b")) }

      dust.clean()

      #expect(cards.partCount == 0)
    }

    @Test func rowThatAViewHasShownIsFreedWithItsLastObserver() {
      let dust = cards.row(id: "a").observe { _ in }
      track(cards.row(id: "a"))
      cards[id: "a"]?.title = "other"
      #expect(cards.partCount == 1)

      dust.clean()

      #expect(cards.partCount == 0)
    }

    @Test func rowIsFreedAfterItsOnlyObserverHasCleanedItself() {
      let dusts = DustBuster()
      track(cards.row(id: "a"))
      cards.row(id: "a").observe(ignoreFirst: true) { _ in dusts.clean() }.cleaned(by: dusts)

      cards[id: "a"]?.title = "other"

      #expect(cards.partCount == 0)
    }

    @Test func longListOfUnreceivedChangesIsFreedWithoutRecursion() {
      let dispatcher = Dispatcher()
      let dust = cards.observeChanges { _ in }

      dispatcher.transaction {
        for number in 0..<100_000 { cards[id: "a"]?.title = "\(number)" }
        dust.clean()
      }

      #expect(cards.partCount == 0)
    }
  }

  extension PrimitiveTable {
    /// The number of rows, lists of ids and lists of changes that code uses.
    fileprivate var partCount: Int { table.withLock { table.parts.count } }
  }
#endif

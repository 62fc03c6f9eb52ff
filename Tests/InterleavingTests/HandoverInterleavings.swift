#if DEBUG
  @testable import FluxCapacitor
  import FluxCapacitorTestSupport
  import FluxCapacitorTesting
  import Testing

  /// Fairness: a thread that has delivered many changes of other threads hands the delivery over to another
  /// thread. Each change is still delivered once and in order.
  ///
  /// A handover takes 257 changes, which are too many for a scenario. An observer therefore sets the
  /// thread's count of changes to 257.
  struct HandoverInterleavings {
    @Test func threadThatDeliversManyChangesHandsTheDeliveryToTheNextWritingThread() {
      let isHandedOver = Flag()
      explore { scenario in
        let (variable, log, writes) = (Variable<[Int]>([]), Log<[Int]>(), ThreadLocal())
        _ = variable.observe(ignoreFirst: true) { value in
          log.append(value)
          // If the second thread delivers its first change during its second write, that thread has taken
          // over the delivery.
          if value.last == 2, writes.value == 2 { isHandedOver.set() }
          if value.count == 1 { pretendToHaveToldManyChangesOfOthers() } else { letOthersGoOn() }
          log.append(value)
        }
        scenario.transaction { variable.value.append(1) }
        scenario.thread {
          for number in 1...2 {
            writes.value = number
            variable.value.append(number + 1)
          }
        }
        scenario.check {
          let told = stride(from: 0, to: log.entries.count, by: 2).map { log.entries[$0] }
          #expect(log.entries == told.flatMap { [$0, $0] })
          expectPrefixes(of: variable.value, in: told, exceptFrom: 1)
        }
      }
      #expect(isHandedOver.isSet)
    }

    /// The second thread makes two changes while the first thread delivers its change. The first thread offers
    /// the delivery after the first of these two changes.
    @Test func threadThatDeliversABacklogHandsTheRestToTheNextWritingThread() {
      let isHandedOver = Flag()
      explore { scenario in
        let (variable, log, writes) = (Variable<[Int]>([]), Log<[Int]>(), ThreadLocal())
        _ = variable.observe(ignoreFirst: true) { value in
          log.append(value)
          if value.count == 2 { pretendToHaveToldManyChangesOfOthers() }
          // The second thread delivers its second change during its third write.
          if value == [1, 2, 3], writes.value == 3 { isHandedOver.set() }
        }
        scenario.thread { variable.value.append(1) }
        scenario.thread {
          for number in 1...3 {
            writes.value = number
            variable.value.append(number + 1)
          }
        }
        scenario.check {
          #expect(log.entries == prefixes(of: variable.value))
        }
      }
      #expect(isHandedOver.isSet)
    }

    @Test func threadThatDeliversAFirstValueHandsTheDeliveryToTheNextWritingThread() {
      let isHandedOver = Flag()
      explore { scenario in
        let (variable, log, number) = (Variable(0), Log<Int>(), ThreadLocal())
        scenario.thread {
          number.value = 1
          _ = variable.observe { value in
            log.append(value)
            pretendToHaveToldManyChangesOfOthers()
            if number.value == 3 {
              if value == 1 { isHandedOver.set() }
              letOthersGoOn()
            }
            log.append(value)
          }
        }
        scenario.thread {
          for value in 1...2 {
            number.value = value + 1
            variable.value = value
          }
        }
        scenario.keep(variable)
        scenario.check {
          #expect([[0, 0, 1, 1, 2, 2], [1, 1, 2, 2], [2, 2]].contains(log.entries))
        }
      }
      #expect(isHandedOver.isSet)
    }

    /// A transaction commits its change while the first thread offers the delivery, of a variable or of a combination.
    @Test(arguments: [false, true])
    func handoverLosesNoChangeIfTheNewThreadOffersTheDeliveryAgain(isCombined: Bool) {
      explore(sample: 500) { scenario in
        let (variable, log) = (Variable<[Int]>([]), Log<[Int]>())
        let other = Variable(0)
        let combined = Constant.combine(variable.map { $0 }, other).map(\.0)
        _ = (isCombined ? combined : variable.constant).observe(ignoreFirst: true) { value in
          log.append(value)
          pretendToHaveToldManyChangesOfOthers()
        }
        scenario.thread { variable.value.append(1) }
        scenario.transaction { variable.value.append(2) }
        scenario.thread { variable.value.append(3) }
        scenario.check { expectPrefixes(of: variable.value, in: log.entries, exceptFrom: 2) }
      }
    }

    /// A thread can take the offer after the offering thread's last check and before the withdrawal.
    @Test func threadDoesNotWithdrawAHandoverOfferThatAnotherThreadHasTaken() {
      // After 31 to 33 yields, the second thread runs at about the time of the withdrawal.
      for yields in 31...33 {
        explore(sample: 500) { scenario in
          let (variable, log) = (Variable<[Int]>([]), Log<[Int]>())
          _ = variable.observe(ignoreFirst: true) { [weak variable] value in
            log.append(value)
            if value == [1] {
              pretendToHaveToldManyChangesOfOthers()
              for number in 2...3 { variable?.value.append(number) }
            }
            log.append(value)
          }
          scenario.transaction { variable.value.append(1) }
          scenario.thread {
            for _ in 0..<yields { currentThread().yieldProcessor() }
            variable.value.append(4)
          }
          scenario.check {
            #expect(log.entries == prefixes(of: variable.value).flatMap { [$0, $0] })
          }
        }
      }
    }

    /// The first thread has two changes to deliver, and offers the first one. The second thread takes the
    /// offer, but is preempted before it delivers the change.
    @Test func threadThatHasHandedOverADeliveryDoesNotTakeItBack() {
      let isHandedOver = Flag()
      explore { scenario in
        let (variable, number) = (Variable<[Int]>([]), ThreadLocal())
        let (deliverers, isTaking) = (Log<Int>(), Log<Bool>())
        _ = variable.observe(ignoreFirst: true) { [weak variable] value in
          deliverers.append(number.value)
          guard value == [1] else { return }
          for number in 2...3 { variable?.value.append(number) }
          pretendToHaveToldManyChangesOfOthers()
        }
        scenario.thread {
          number.value = 1
          Dispatcher.shared.transaction { variable.value.append(1) }
        }
        scenario.thread {
          number.value = 2
          isTaking.append(isOffered(variable))
          variable.value.append(4)
        }
        scenario.keep(variable)
        scenario.check {
          guard isTaking.entries == [true] else { return }
          isHandedOver.set()
          #expect(deliverers.entries.count == 4)
          #expect(deliverers.entries[1] == 2)
        }
      }
      #expect(isHandedOver.isSet)
    }

    /// Otherwise, threads that write only inside observers would never let the delivering thread return.
    @Test func threadThatWritesInsideAnObserverTakesAnOfferedDeliveryAfterTheObserver() {
      let isHandedOver = Flag()
      explore { scenario in
        let (variable, trigger, number) = (Variable(0), Variable(0), ThreadLocal())
        let (deliverers, isTaking) = (Log<Int>(), Log<Bool>())
        _ = variable.observe(ignoreFirst: true) { [weak variable] value in
          deliverers.append(number.value)
          guard value == 1 else { return }
          pretendToHaveToldManyChangesOfOthers()
          variable?.value = 2
        }
        _ = trigger.observe(ignoreFirst: true) {
          isTaking.append(isOffered(variable))
          variable.value = $0
        }
        scenario.thread {
          number.value = 1
          Dispatcher.shared.transaction { variable.value = 1 }
        }
        scenario.thread {
          number.value = 2
          trigger.value = 3
        }
        scenario.keep(trigger)
        scenario.check {
          if isTaking.entries == [true], deliverers.last == 2 { isHandedOver.set() }
          #expect((1...3).contains(deliverers.entries.count))
        }
      }
      #expect(isHandedOver.isSet)
    }

    /// An observer might wait for the offered changes. A thread inside an observer must therefore not take
    /// over the delivery.
    @Test func threadInsideAnObserverDoesNotTakeOverAnOfferedDelivery() {
      explore { scenario in
        let (numbers, other) = (Variable<[Int]>([]), Variable(0))
        let (log, isWaitedForInVain) = (Log<[Int]>(), Log<Bool>())
        _ = numbers.observe(ignoreFirst: true) { [weak numbers] value in
          log.append(value)
          guard value == [1] else { return }
          pretendToHaveToldManyChangesOfOthers()
          numbers?.value.append(2)
        }
        _ = other.observe(ignoreFirst: true) { [weak numbers] _ in
          // Waits only while the first thread is delivering.
          guard let numbers, log.entries == [[1]] else { return }
          numbers.value.append(3)
          for _ in 0..<200 { currentThread().yieldProcessor() }
          if let index = numbers.value.firstIndex(of: 2) {
            isWaitedForInVain.append(!log.entries.contains(Array(numbers.value[...index])))
          }
        }
        scenario.transaction { numbers.value.append(1) }
        scenario.thread { other.value = 1 }
        scenario.check {
          #expect(!isWaitedForInVain.entries.contains(true))
          #expect(log.entries == prefixes(of: numbers.value))
        }
      }
    }
  }

  /// The values that a variable had when the numbers of its last value were appended one by one.
  private func prefixes(of value: [Int]) -> [[Int]] { value.indices.map { Array(value[...$0]) } }

  /// Expects one call for each write. A transaction's write and the writes of other threads until the end of
  /// the transaction are one change.
  private func expectPrefixes(
    of value: [Int],
    in entries: [[Int]],
    exceptFrom transaction: Int
  ) {
    let all = prefixes(of: value)
    let missing = all.indices.filter { !entries.contains(all[$0]) }
    #expect(entries == all.filter(entries.contains))
    #expect(entries.last == value)
    if let first = missing.first {
      #expect(value[first] == transaction)
      #expect(missing == Array(first..<first + missing.count))
    }
  }

  private func isOffered<Value>(_ variable: Variable<Value>) -> Bool {
    variable.channel.lock.withLock { variable.channel.deliverer.isOffered }
  }

  private func pretendToHaveToldManyChangesOfOthers() {
    currentThread().pointee.handoverPressure = 257
    currentThread().pointee.withdrawnOffers = 0
  }

  /// Makes the observer's call last longer than the first handover offer of another thread.
  private func letOthersGoOn() {
    for _ in 0..<40 { currentThread().yieldProcessor() }
  }
#endif

#if DEBUG
  import FluxCapacitor

  /// Divides the steps of a recording into passages.
  struct PassageFinder {
    private(set) var passages: [Passage] = []
    private let sources: SourceMap

    /// The operations of each thread that have not ended, starting with the outermost operation.
    private var ongoing: [ObjectIdentifier: [OngoingOperation]] = [:]

    /// The operations of each thread whose values have not been recorded. Such an operation can go on in
    /// another function.
    private var valueless: [ObjectIdentifier: [OngoingOperation]] = [:]

    init(of recording: ScheduleRecording) {
      sources = SourceMap(of: recording.entries.map(\.calls))
      for entry in recording.entries { add(entry) }
      joinPassages()
    }

    private mutating func joinPassages() {
      let busy = Set(
        passages.lazy.filter { !$0.isBeginning }.map { ObjectIdentifier($0.first.thread) }
      )
      passages = passages.reduce(into: []) { joined, passage in
        let isBusy = busy.contains(ObjectIdentifier(passage.first.thread))
        if passage.isBeginning, !passage.matters || isBusy { return }
        guard let last = joined.last, last.join(passage) else { return joined.append(passage) }
      }
      while passages.last?.isCleanup == true { passages.removeLast() }
    }

    private mutating func add(_ entry: ScheduleRecording.Entry) {
      let id = ObjectIdentifier(entry.thread)
      let calls = entry.calls.addresses
      ongoing[id]?.removeAll { !calls.ends(with: $0.callers) }
      switch entry.event {
      case .operation(let operation): record(operation, of: id, calls)
      case .step(let step, let text): add(step, text, of: entry.thread, calls)
      case .waiting(let reason):
        let step = located(entry.thread, calls, nil)
        passages.append(Passage(step, waitingBecause: reason))
      }
    }

    private mutating func record(
      _ operation: Operation,
      of thread: ObjectIdentifier,
      _ calls: [UInt64]
    ) {
      // Without source locations, an operation lasts until the thread begins another operation.
      let recorder = calls.firstIndex(where: sources.isKnown) ?? calls.count - 1
      let callers = calls[(recorder + 1)...]
      let candidates = ongoing[thread, default: []] + valueless[thread, default: []]
      if let known = candidates.last(where: { $0.isRepeated(by: operation, callers: callers) }) {
        guard known.operation.value == nil else { return }
        known.operation.value = operation.value
        known.lastPassage?.value = operation.value
        valueless[thread]?.removeAll { $0 === known }
        guard ongoing[thread]?.contains(where: { $0 === known }) != true else { return }
        known.callers = callers
        return ongoing[thread, default: []].append(known)
      }
      // If the thread calls a function again at the same place, the earlier call has ended.
      ongoing[thread]?.removeAll { $0.callers.count >= callers.count }
      if isDetail(operation, of: thread, calls) { return }
      let new = OngoingOperation(operation, callers: callers)
      ongoing[thread, default: []].append(new)
      if operation.value == nil { valueless[thread, default: []].append(new) }
    }

    private mutating func add(
      _ event: ScheduledStep?,
      _ text: String?,
      of thread: ScenarioThread,
      _ calls: [UInt64]
    ) {
      let step = located(thread, calls, event == nil ? Passage.beginning : text)
      if let last = passages.last, last.includes(step) {
        last.steps += 1
        return
      }
      // A thread has already done its work when it takes the step after an unlock.
      if case .unlocked = event, step.isInternal { return }
      passages.append(Passage(step))
    }

    /// Whether an operation is only a detail of another operation, such as a read in the library's code.
    private func isDetail(
      _ operation: Operation,
      of thread: ObjectIdentifier,
      _ calls: [UInt64]
    ) -> Bool {
      guard let outer = self.operation(of: thread, calls), !outer.callers.isEmpty else {
        return false
      }
      return operation.verb != "invokes" && operation.verb != "calls the observer of"
    }

    /// Returns the innermost operation of a thread, unless user code that the operation calls is running.
    private func operation(of thread: ObjectIdentifier, _ calls: [UInt64]) -> OngoingOperation? {
      let userIndex = calls.firstIndex(where: sources.isUserLine) ?? calls.endIndex
      return ongoing[thread]?.last { calls.count - $0.callers.count <= userIndex }
    }

    private func located(_ thread: ScenarioThread, _ calls: [UInt64], _ text: String?)
      -> LocatedStep
    {
      let operation = operation(of: ObjectIdentifier(thread), calls)
      return LocatedStep(
        thread: thread,
        line: sources.userLine(in: calls),
        operation: operation,
        isContinued: operation?.lastPassage != nil,
        text: text,
        place: sources.libraryPlace(in: calls)
      )
    }
  }

  /// An operation from its record until the thread leaves the function that has recorded the operation.
  final class OngoingOperation {
    var operation: Operation

    /// The calls below the function that has recorded the operation. The operation lasts while the thread's
    /// call stack ends with these addresses.
    fileprivate var callers: ArraySlice<UInt64>

    weak var lastPassage: Passage?

    fileprivate init(_ operation: Operation, callers: ArraySlice<UInt64>) {
      self.operation = operation
      self.callers = callers
    }

    /// Returns whether a record repeats this operation, with its value or in an inner function.
    fileprivate func isRepeated(by other: Operation, callers others: ArraySlice<UInt64>) -> Bool {
      guard other.verb == operation.verb, other.object == operation.object else { return false }
      if operation.value == nil { return other.value != nil }
      return other.value == operation.value && others.ends(with: callers)
        && (others.count > callers.count || callers.isEmpty)
    }
  }

  extension Collection<UInt64> where Self: BidirectionalCollection {
    fileprivate func ends(with others: ArraySlice<UInt64>) -> Bool {
      others.count <= count && suffix(others.count).elementsEqual(others)
    }
  }
#endif

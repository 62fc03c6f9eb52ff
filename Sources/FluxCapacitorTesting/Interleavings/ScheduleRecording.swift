#if DEBUG
  import FluxCapacitor

  /// The steps and operations of a run that replays a schedule, for the report.
  struct ScheduleRecording {
    struct Entry {
      enum Event {
        /// A step, with a description if the step performs no operation of the library.
        case step(ScheduledStep?, String?)
        case operation(Operation)

        /// The thread doesn't continue, because it waits forever.
        case waiting(reason: String)
      }

      let thread: ScenarioThread
      let event: Event
      let calls: CallStack
    }

    private(set) var entries: [Entry] = []

    /// The names of the stores' variables, by the identities of the variables.
    private var names: [ObjectIdentifier: (name: String, longName: String)] = [:]

    mutating func append(_ event: Entry.Event, by thread: ScenarioThread, _ calls: CallStack) {
      entries.append(Entry(thread: thread, event: event, calls: calls))
    }

    /// Collects the names of the variables of a dispatcher's stores.
    ///
    /// This method waits for the dispatcher, so no thread of the scenario may hold a lock.
    mutating func collectNames(from dispatcher: Dispatcher) {
      for (store, contents) in dispatcher.contentsOfStores {
        for item in contents.items where names[item.value.identity] == nil {
          names[item.value.identity] = (item.name, "\(store).\(item.name)")
        }
      }
    }

    /// Returns the name of a variable or a type, such as `count` or `a Variable<Int>`.
    func name(of object: Operation.Object) -> String {
      switch object {
      case .channel(let id, let description):
        names[id]?.name ?? description.prefix(1).lowercased() + description.dropFirst()
      case .other(let name): name
      }
    }

    /// Returns the name of a variable with the name of its store, such as `CounterStore.count`.
    func longName(of object: Operation.Object) -> String {
      if case .channel(let id, _) = object, let names = names[id] { return names.longName }
      return name(of: object)
    }
  }

  /// An operation of the library, in the words of the library's users.
  struct Operation: Equatable {
    enum Object: Hashable {
      /// A channel, with the channel's own description.
      case channel(ObjectIdentifier, String)
      case other(String)
    }

    let verb: String
    let object: Object?

    /// A short description of the value that the operation reads, writes or delivers.
    var value: String?

    init(_ verb: String, _ object: Any? = nil, _ value: Any? = nil) {
      self.verb = verb
      self.value = value.map(Operation.describe)
      self.object = object.map { object in
        if type(of: object) is AnyClass {
          .channel(ObjectIdentifier(object as AnyObject), "\(object)")
        } else {
          .other("\(object)")
        }
      }
    }

    private static func describe(_ value: Any) -> String {
      let line = shown(value)
      return line.count <= mostCharacters ? line : line.prefix(mostCharacters - 1) + "…"
    }

    private static let mostCharacters = 40
  }
#endif

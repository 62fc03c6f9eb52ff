import FluxCapacitor
import Foundation

/// A recorded sequence of states, which you can write to a file and dispatch again.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try RecordedFlow(circuits.events).write(to: file)
/// ```
///
/// To read the file in another process, pass the types of its states:
///
/// ```swift
/// let flow = try RecordedFlow(contentsOf: file, types: [Dispatcher.Counter.self])
/// flow.replay()
/// ```
///
/// The file has one line of JSON for each state, with its type and the encoded state. JSON lacks the numbers infinity and
/// NaN, so they are the texts "inf", "-inf" and "nan".
public struct RecordedFlow: Sendable {
  /// A state that can be written to a file.
  public typealias CodableState = DispatchState & Codable

  /// The states, in the order of their dispatches.
  public let states: [any CodableState]

  /// Why the first unreadable line of the file can't be read, or `nil` if every line was read.
  ///
  /// ``states`` contains the states of the lines before it.
  public let failure: Failure?

  /// Creates a flow from the states of a sequence of dispatches.
  ///
  /// - Throws: A ``Failure`` with the number of the first dispatch whose state isn't `Codable`.
  public init(_ events: some Sequence<DispatchEvent>) throws(Failure) {
    var states: [any CodableState] = []
    for (index, event) in events.enumerated() {
      guard let state = event.state as? any CodableState else {
        let name = TypeNames.name(of: type(of: event.state))
        throw Failure(line: index + 1, reason: .notCodable(name))
      }
      states.append(state)
    }
    self.states = states
    failure = nil
  }

  /// Creates a flow from a file.
  ///
  /// Reading ends at the first line that can't be read. Then ``failure`` describes the error, and ``states`` contains the
  /// states of all earlier lines. Empty lines are skipped.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - types: The types of the states in the file.
  /// - Throws: An error if the file doesn't exist, or if the process can't read it.
  public init(contentsOf url: URL, types: [any CodableState.Type]) throws {
    try self.init(data: Data(contentsOf: url), types: types)
  }

  /// Creates a flow from the contents of a file, as ``init(contentsOf:types:)`` does.
  public init(data: Data, types: [any CodableState.Type]) {
    let unique = Dictionary(types.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
    let types = Dictionary(grouping: unique.values, by: TypeNames.name(of:))
    var states: [any CodableState] = []
    var failure: Failure?
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
      do throws(Failure.Reason) {
        states.append(try RecordedFlow.state(from: line, types: types))
      } catch {
        failure = Failure(line: index + 1, reason: error)
        break
      }
    }
    self.states = states
    self.failure = failure
  }

  /// Returns the contents of a file with this flow's states.
  ///
  /// A state can't be written if it contains a ``Secret``, more than 10 million parts or 512 levels of objects and
  /// arrays, or if its `Codable` conformance throws an error. A secret is found wherever it is encoded, even as a key or
  /// inside an object, and in stored properties, with one exception: a type's own `encode(to:)` can take a text out of a
  /// secret in a closure, in an object's variable or in an object that isn't kept.
  ///
  /// If two types have the same name, only the states of the first one can be written.
  ///
  /// - Throws: A ``Failure`` with the number of the first state that can't be written.
  public func data() throws(Failure) -> Data {
    var data = Data()
    var names = TypeNames()
    for (index, state) in states.enumerated() {
      do throws(Failure.Reason) {
        let name = try names.unambiguousName(of: type(of: state))
        data += try RecordedFlow.line(state, named: name)
        data.append(UInt8(ascii: "\n"))
      } catch {
        throw Failure(line: index + 1, reason: error)
      }
    }
    return data
  }

  /// Replaces the contents of a file with the states, or writes the states into a pipe or a device such as `/dev/stdout`.
  public func write(to url: URL) throws {
    try OutputFile(url).write(data())
  }

  /// Dispatches all states of the flow in order.
  ///
  /// If a reduce or an observer invokes a state on the replaying thread, that state isn't dispatched, because the flow
  /// already contains it.
  ///
  /// > Warning: If an observer starts a task that invokes a state, this state is dispatched twice: by the replay and by the
  /// task.
  public func replay(on dispatcher: Dispatcher = .shared) {
    for state in states { dispatcher.replay(state) }
  }
}

extension RecordedFlow {
  /// The error for a state that can't be written to a file, or for a line that can't be read.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The number of the state, or of the line in the file, starting at 1.
    public let line: Int

    /// The reason for the failure.
    public let reason: Reason

    /// A message that names the reason and a remedy.
    public var description: String { "Line \(line): \(reason.description)" }

    /// A reason for a failure.
    public enum Reason: Error, Sendable, CustomStringConvertible {
      /// A state has the type with this name, which is not `Codable`.
      case notCodable(String)

      /// A state of the type with this name contains a ``Secret``, which no file may contain.
      case secret(String)

      /// The `Codable` conformance of a state throws an error with this description.
      case notEncoded(String)

      /// Two types of states have this name.
      case ambiguousType(String)

      /// A line contains a state of a type that was not passed to the initializer.
      case unknownType(String)

      /// A line doesn't have the format that this library writes.
      case damaged(String)

      /// A message that names the reason and a remedy.
      public var description: String {
        switch self {
        case .notCodable(let type): "\(type) is not Codable. Make it so, or leave its states out."
        case .secret(let type): "A \(type) contains a secret. Leave such states out."
        case .notEncoded(let cause): "Its Codable conformance throws: \(cause)"
        case .ambiguousType(let type): "Two types are called \(type). Rename one of them."
        case .unknownType(let type): "\(type) is not among the types that were passed. Pass it too."
        case .damaged(let cause): "It is damaged: \(cause)"
        }
      }
    }
  }
}

/// The names of types in a file, which include the module, and which are the same in every process.
private struct TypeNames {
  private var names: [ObjectIdentifier: String] = [:]
  private var types: [String: ObjectIdentifier] = [:]

  static func name(of type: any Any.Type) -> String {
    String(reflecting: type)
      // A type in an extension of another module's type is named after the extension's module.
      .replacing(/\(extension in ([^)]+)\):[^.]+/) { $0.output.1 }
      .withSourceNames
  }

  mutating func unambiguousName(
    of type: any Any.Type
  ) throws(RecordedFlow.Failure.Reason) -> String {
    let identity = ObjectIdentifier(type)
    if let name = names[identity] { return name }
    let name = TypeNames.name(of: type)
    guard types.updateValue(identity, forKey: name) == nil else { throw .ambiguousType(name) }
    names[identity] = name
    return name
  }
}

/// One line of a file.
private struct Line<State: RecordedFlow.CodableState>: Codable {
  let type: String
  let state: State
}

private struct Head: Decodable {
  let type: String
}

extension RecordedFlow {
  private static func state(
    from data: Data,
    types: [String: [any CodableState.Type]]
  ) throws(Failure.Reason) -> any CodableState {
    func state<State: CodableState>(_: State.Type) throws -> any CodableState {
      try JSONDecoder.ofFiles.decode(Line<State>.self, from: data).state
    }
    do {
      let name = try JSONDecoder.ofFiles.decode(Head.self, from: data).type
      guard let types = types[name] else { throw Failure.Reason.unknownType(name) }
      guard types.count == 1 else { throw Failure.Reason.ambiguousType(name) }
      return try state(types[0])
    } catch let reason as Failure.Reason {
      throw reason
    } catch {
      throw .damaged(ValueTree(of: error).text)
    }
  }

  private static func line(
    _ state: some CodableState,
    named name: String
  ) throws(Failure.Reason) -> Data {
    // The flow has a copy of the state, except for the objects in it.
    let search = SecretSearch.search(state)
    if search == .secret { throw .secret(name) }
    if search == .tooManyParts {
      throw .notEncoded("It has too many parts for a search for secrets, or a mirror of itself.")
    }
    let alarm = SecretAlarm(searchesEachValue: search == .unreadParts)
    do {
      let line = GuardedValue(value: Line(type: name, state: state), alarm: alarm)
      let data = try JSONEncoder.ofFiles.encode(line)
      if alarm.hasFound { throw SecretAlarm.Found() }
      // Foundation writes a `Decimal` that isn't a number as `NaN`, and can't read the file.
      if data.range(of: Data("NaN".utf8)) != nil {
        _ = try JSONSerialization.jsonObject(with: data)
      }
      return data
    } catch  where alarm.hasFound {
      throw .secret(name)
    } catch EncodingError.invalidValue(is GuardedValue, _) {
      // `JSONEncoder` blames the outermost value only for its depth.
      throw .notEncoded(
        """
        A \(name) is nested too deep: `JSONEncoder` refuses 512 levels of objects and arrays. \
        Leave such states out.
        """
      )
    } catch EncodingError.invalidValue(let value, let context) {
      throw .notEncoded("A \(Swift.type(of: value)) can't be encoded. \(context.debugDescription)")
    } catch {
      throw .notEncoded(ValueTree(of: error).text)
    }
  }
}

import FluxCapacitor
import Foundation

/// The states of a flow, which can be written to a file and dispatched again.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try RecordedFlow(circuits.events).write(to: file)
/// ```
///
/// In another process, pass the types that the file may contain:
///
/// ```swift
/// let flow = try RecordedFlow(contentsOf: file, types: [Dispatcher.Counter.self])
/// flow.replay()
/// ```
///
/// The file has one line of JSON for each state: its type, and the state as its `Codable`
/// conformance encodes it.
public struct RecordedFlow: Sendable {
  /// A state that can be written to a file.
  public typealias CodableState = DispatchState & Codable

  /// The states, in the order of their dispatches.
  public let states: [any CodableState]

  /// The error in the first line that couldn't be read, or `nil` if every line was read.
  ///
  /// ``states`` has the states of the lines before it.
  public let failure: Failure?

  /// Creates a flow of the states of some dispatches.
  ///
  /// - Throws: ``Failure``, with the number of the dispatch, if a state is not `Codable`.
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
  /// Reading ends at the first line that can't be read. Then ``failure`` describes the error, and ``states``
  /// has the states of the lines before it. Empty lines are skipped.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - types: The types that its states may have.
  /// - Throws: An error if the file doesn't exist, or if it can't be read at all.
  public init(contentsOf url: URL, types: [any CodableState.Type]) throws {
    try self.init(data: Data(contentsOf: url), types: types)
  }

  /// Creates a flow from the contents of a file; see ``init(contentsOf:types:)``.
  public init(data: Data, types: [any CodableState.Type]) {
    let types = Dictionary(grouping: types.unique, by: TypeNames.name(of:))
    var states: [any CodableState] = []
    var failure: Failure?
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
      do throws(Failure.Reason) {
        states.append(try Line(decoding: line, types: types).state)
      } catch {
        failure = Failure(line: index + 1, reason: error)
        break
      }
    }
    self.states = states
    self.failure = failure
  }

  /// Returns the contents of a file with these states.
  ///
  /// - Throws: ``Failure``, with the number of the state, if it contains a ``Secret``, if its
  ///   `Codable` conformance throws, or if another type has the name of its type.
  public func data() throws(Failure) -> Data {
    var data = Data()
    var names = TypeNames()
    for (index, state) in states.enumerated() {
      do throws(Failure.Reason) {
        let name = try names.unambiguousName(of: type(of: state))
        data += try Line(state: state).data(named: name)
        data.append(UInt8(ascii: "\n"))
      } catch {
        throw Failure(line: index + 1, reason: error)
      }
    }
    return data
  }

  /// Writes the states to a file, replacing its contents, or into a pipe or a device.
  public func write(to url: URL) throws {
    try data().replaceContents(of: url)
  }

  /// Dispatches the states, one after the other.
  ///
  /// Reduces and observers may invoke states meanwhile. On this thread, such a state isn't dispatched,
  /// because the flow already contains it. A state that they invoke later, on a queue or in a task, is
  /// dispatched.
  public func replay(on dispatcher: Dispatcher = .shared) {
    for state in states { dispatcher.replay(state) }
  }
}

extension RecordedFlow {
  /// The error of a state that can't be written to a file, or of a line that can't be read.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The number of the state, or of the line of the file, counted from 1.
    public let line: Int

    /// The reason for the failure.
    public let reason: Reason

    /// A message that names the reason and a remedy.
    public var description: String { "Line \(line): \(reason.description)" }

    /// A reason for a failure.
    public enum Reason: Error, Sendable, CustomStringConvertible {
      /// A state of this type is not `Codable`.
      case notCodable(String)

      /// A state of this type contains a ``Secret``, which no file may contain.
      case secret(String)

      /// The `Codable` conformance of a state throws an error with this description.
      case notEncoded(String)

      /// Two types have this name.
      case ambiguousType(String)

      /// The line has a state of a type that was not passed.
      case unknownType(String)

      /// The line doesn't have the format that this library writes.
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

/// The names of types in a file: with their modules, and without the parts that differ from one process to
/// the next.
private struct TypeNames {
  private var names: [ObjectIdentifier: String] = [:]
  private var types: [String: ObjectIdentifier] = [:]

  static func name(of type: any Any.Type) -> String {
    String(reflecting: type)
      // A type that is nested in a type of another module has the name of its own module.
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

extension [any RecordedFlow.CodableState.Type] {
  fileprivate var unique: Self {
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}

extension RecordedFlow {
  /// One line of a file.
  fileprivate struct Line {
    let state: any CodableState

    init(state: any CodableState) {
      self.state = state
    }

    init(
      decoding data: Data,
      types: [String: [any CodableState.Type]]
    ) throws(Failure.Reason) {
      do {
        let name = try JSONDecoder().decode(Head.self, from: data).type
        guard let types = types[name] else { throw Failure.Reason.unknownType(name) }
        guard types.count == 1 else { throw Failure.Reason.ambiguousType(name) }
        state = try Line.state(types[0], from: data)
      } catch let reason as Failure.Reason {
        throw reason
      } catch {
        throw .damaged("\(error)")
      }
    }

    func data(named name: String) throws(Failure.Reason) -> Data {
      do {
        // Both checks are necessary: an encoder may receive a secret as a text if it is the key of a
        // dictionary.
        if try Description.hasSecret(state) || SecretFinder.hasSecret(state) {
          throw Failure.Reason.secret(name)
        }
        return try JSONEncoder.ofFiles.encode(Whole(type: name, state: state))
      } catch let reason as Failure.Reason {
        throw reason
      } catch {
        throw .notEncoded("\(error)")
      }
    }

    private static func state<State: CodableState>(
      _: State.Type,
      from data: Data
    ) throws -> any CodableState {
      try JSONDecoder().decode(Body<State>.self, from: data).state
    }

    private struct Head: Decodable {
      let type: String
    }

    private struct Body<State: Decodable>: Decodable {
      let state: State
    }

    private struct Whole: Encodable {
      enum CodingKeys: CodingKey {
        case type, state
      }

      let type: String
      let state: any CodableState

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(state, forKey: .state)
      }
    }
  }
}

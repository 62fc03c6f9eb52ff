import FluxCapacitor
import Foundation

/// The states of a flow of data, which a file can keep, and which can be dispatched again.
///
/// ```swift
/// let circuits = TimeCircuits()
/// CounterAction().increment()
/// try RecordedFlow(circuits.events).write(to: file)
/// ```
///
/// In another process, with the types that may be in it:
///
/// ```swift
/// let flow = try RecordedFlow(contentsOf: file, types: [Dispatcher.Counter.self])
/// flow.replay()
/// ```
///
/// The file has one line of JSON for each state: its type, and the state as its `Codable` has it.
public struct RecordedFlow: Sendable {
  /// A state that a file can keep.
  public typealias CodableState = DispatchState & Codable

  /// The states, in the order of their dispatches.
  public let states: [any CodableState]

  /// What is wrong with the first line that could not be read, if one could not: the states are those
  /// of the lines before it.
  public let failure: Failure?

  /// The states of some dispatches.
  ///
  /// - Throws: ``Failure``, with the number of the dispatch, if a state is not `Codable`.
  public init(_ events: some Sequence<DispatchEvent>) throws(Failure) {
    var states: [any CodableState] = []
    for (index, event) in events.enumerated() {
      guard let state = event.state as? any CodableState else {
        throw Failure(line: index + 1, reason: .notCodable(recordedName(of: type(of: event.state))))
      }
      states.append(state)
    }
    self.states = states
    failure = nil
  }

  /// Reads states from a file.
  ///
  /// A line that can't be read ends it: ``failure`` says what is wrong, and ``states`` are those of the
  /// lines before.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - types: The types that its states may have.
  /// - Throws: If there is no such file, or it can't be read at all.
  public init(contentsOf url: URL, types: [any CodableState.Type]) throws {
    try self.init(data: Data(contentsOf: url), types: types)
  }

  /// Reads states from the contents of a file; see ``init(contentsOf:types:)``.
  public init(data: Data, types: [any CodableState.Type]) {
    let types = Dictionary(types.map { (recordedName(of: $0), $0) }) { first, _ in first }
    var states: [any CodableState] = []
    var failure: Failure?
    for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
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

  /// What the file of these states contains.
  ///
  /// - Throws: ``Failure``, with the number of the state, if its `Codable` refuses it.
  public func data() throws(Failure) -> Data {
    var data = Data()
    for (index, state) in states.enumerated() {
      do throws(Failure.Reason) {
        data += try Line(state: state).data() + Data("\n".utf8)
      } catch {
        throw Failure(line: index + 1, reason: error)
      }
    }
    return data
  }

  /// Writes the states to a file, in place of what is there.
  public func write(to url: URL) throws {
    try data().write(to: url, options: .atomic)
  }

  /// Dispatches the states, one after the other.
  public func replay(on dispatcher: Dispatcher = .shared) {
    for state in states { dispatcher.dispatchAny(state) }
  }
}

extension RecordedFlow {
  /// Why a state can't be kept in a file, or a line of one not be read.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The number of the state, or the line of the file, from 1.
    public let line: Int

    /// What is wrong.
    public let reason: Reason

    /// A sentence that says what is wrong and what to do.
    public var description: String { "Line \(line): \(reason.description)" }

    /// What is wrong.
    public enum Reason: Error, Sendable, CustomStringConvertible {
      /// A state of this type can't be kept.
      case notCodable(String)

      /// The line has a state of a type that was not named.
      case unknownType(String)

      /// The line is not what this library has written.
      case damaged(String)

      /// A sentence that says what is wrong and what to do.
      public var description: String {
        switch self {
        case .notCodable(let type): "\(type) is not Codable. Let it be, or leave its states out."
        case .unknownType(let type): "\(type) is not among the types that were named. Name it too."
        case .damaged(let cause): "It is damaged: \(cause)"
        }
      }
    }
  }
}

/// The name of a type as a file has it.
private func recordedName(of type: any Any.Type) -> String {
  String(reflecting: type).withSourceNames
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
      types: [String: any CodableState.Type]
    ) throws(Failure.Reason) {
      do {
        let name = try JSONDecoder().decode(Head.self, from: data).type
        guard let type = types[name] else { throw Failure.Reason.unknownType(name) }
        state = try Line.state(type, from: data)
      } catch let reason as Failure.Reason {
        throw reason
      } catch {
        throw .damaged("\(error)")
      }
    }

    func data() throws(Failure.Reason) -> Data {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      do {
        return try encoder.encode(Whole(state: state))
      } catch {
        throw .damaged("\(error)")
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

      let state: any CodableState

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recordedName(of: type(of: state)), forKey: .type)
        try container.encode(state, forKey: .state)
      }
    }
  }
}

extension Dispatcher {
  fileprivate func dispatchAny(_ state: some DispatchState) {
    dispatch(state)
  }
}

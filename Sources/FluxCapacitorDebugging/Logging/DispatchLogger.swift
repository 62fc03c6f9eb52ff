import FluxCapacitor
import Foundation

/// Writes a line for each dispatch to a stream, to a file, or with a closure.
///
/// ```swift
/// let logger = DispatchLogger(to: FileHandle.standardError)
/// CounterAction().increment()
/// withExtendedLifetime(logger) {}
/// ```
///
/// The lines are in the order of the reduces. The dispatching thread writes the line before any observer is called. If
/// another thread is already delivering a dispatch, that thread writes the line, and an observer may be called first. A
/// logger ends when it is deallocated.
///
/// If a store, with its values, was released or created since the previous dispatch, a line such as
/// `− CounterStore was released` says so before the dispatch's line. JSON lines have the lists `released` and `created`.
///
/// The formats ``Format/textWithChanges`` and ``Format/jsonLines`` contain the changed parts of values. Long texts and
/// collections are shortened to about 1,000 bytes. An excerpt of a text shows the first difference. To find the changed
/// parts, the logger compares the elements of a changed collection: if a dictionary has 8,000 elements, this takes about 2
/// ms.
public final class DispatchLogger: Sendable {
  /// The format of a line.
  public enum Format: Sendable {
    /// A readable line with the dispatch's number, state and stores, the duration of the reduces, and the
    /// source location of the `invoke`.
    case text

    /// The same line as `text`, followed by a line for each changed part of a variable, such as
    /// `BoardStore.cards["milk"].title: "Milk" → "Oat milk"`. At most 100 parts of a variable are listed.
    case textWithChanges

    /// A line of JSON with everything that is known about the dispatch, and with the paths of the changed parts.
    case jsonLines
  }

  private let dust: Dust
  private let file: FileStream?

  /// Creates a logger that writes to a stream.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher to log.
  ///   - format: The format of the lines.
  ///   - types: The types of the states to log, or `nil` for all types.
  ///   - output: The stream to write to. Calls to the stream never overlap.
  public convenience init<Output: TextOutputStream & Sendable>(
    _ dispatcher: Dispatcher = .shared,
    format: Format = .text,
    of types: [any DispatchState.Type]? = nil,
    to output: Output
  ) {
    // Only one interceptor uses the stream, and the calls of an interceptor never overlap.
    nonisolated(unsafe) var stream = output
    self.init(dispatcher, format, types, file: nil) { stream.write($0 + "\n") }
  }

  /// Creates a logger that writes to a file, a pipe or a terminal.
  ///
  /// Logging must not stop the dispatches, so lines that can't be written are lost, also those for a full pipe or a terminal
  /// that nobody reads. Then ``failure`` contains the first error. Lines are lost only as a whole: if a full
  /// pipe takes a part of a line, the logger writes the rest before the next line.
  ///
  /// > Note: A pipe outside Linux, and a pipe or a terminal of another user, can still stop a dispatch, but only if
  /// another writer fills it between the logger's check and the logger's write.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher to log.
  ///   - format: The format of the lines.
  ///   - types: The types of the states to log, or `nil` for all types.
  ///   - file: The file to write to. The logger doesn't close the file.
  public convenience init(
    _ dispatcher: Dispatcher = .shared,
    format: Format = .text,
    of types: [any DispatchState.Type]? = nil,
    to file: FileHandle
  ) {
    let stream = FileStream(file)
    self.init(dispatcher, format, types, file: stream) { stream.write($0 + "\n") }
  }

  /// Creates a logger that passes the lines of each dispatch to a closure, for example to call a logging library.
  ///
  /// ```swift
  /// let logger = DispatchLogger { log.debug("\($0)") }
  /// ```
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher to log.
  ///   - format: The format of the lines.
  ///   - types: The types of the states to log, or `nil` for all types.
  ///   - write: Receives the lines of a dispatch, without a line break at the end. Calls to this closure never overlap.
  public convenience init(
    _ dispatcher: Dispatcher = .shared,
    format: Format = .text,
    of types: [any DispatchState.Type]? = nil,
    write: @escaping @Sendable (_ lines: String) -> Void
  ) {
    self.init(dispatcher, format, types, file: nil, write)
  }

  private init(
    _ dispatcher: Dispatcher,
    _ format: Format,
    _ types: [any DispatchState.Type]?,
    file: FileStream?,
    _ write: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    let types = types.map { Set($0.map { ObjectIdentifier($0) }) }
    dust = dispatcher.intercept { event in
      if let types, !types.contains(ObjectIdentifier(type(of: event.state))) { return }
      write(format.line(for: event))
    }
  }

  deinit {
    dust.clean()
  }

  /// The first error while writing to the file, or `nil` if every write has succeeded.
  public var failure: (any Error)? { file?.failure }
}

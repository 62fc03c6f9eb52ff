import FluxCapacitor
import Foundation

/// Writes a line for each dispatch to a stream or a file.
///
/// ```swift
/// let logger = DispatchLogger(to: FileHandle.standardError)
/// CounterAction().increment()
/// withExtendedLifetime(logger) {}
/// ```
///
/// It writes in the order of the reduces, on the thread that dispatches, before any observer is
/// called. It ends when it is deallocated. Of a long text or collection, it writes about 1,000
/// bytes: from the beginning or, if that hasn't changed, from where the change is.
public final class DispatchLogger: Sendable {
  /// How a dispatch is written.
  public enum Format: Sendable {
    /// A line to read: the number of the dispatch, the state, the stores, how long the reduces
    /// took, and where it was invoked.
    case text

    /// The same, followed by a line for each variable that has changed.
    case textWithChanges

    /// A line of JSON, with all that is known of the dispatch.
    case jsonLines
  }

  private let dust: Dust
  private let file: FileStream?

  /// Creates a logger that writes to a stream.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher whose dispatches to write, from now on.
  ///   - format: How to write them.
  ///   - types: The types of the states to write, or `nil` for all.
  ///   - output: The stream to write to. Calls to it never overlap.
  public convenience init<Output: TextOutputStream & Sendable>(
    _ dispatcher: Dispatcher = .shared,
    format: Format = .text,
    of types: [any DispatchState.Type]? = nil,
    to output: Output
  ) {
    self.init(dispatcher, format, types, output, file: nil)
  }

  /// Creates a logger that writes to a file, a pipe or a terminal.
  ///
  /// What can't be written is lost, because logging must not stop what it logs; ``failure`` says
  /// why.
  ///
  /// - Parameters:
  ///   - dispatcher: The dispatcher whose dispatches to write, from now on.
  ///   - format: How to write them.
  ///   - types: The types of the states to write, or `nil` for all.
  ///   - file: The file to write to. It is not closed.
  public convenience init(
    _ dispatcher: Dispatcher = .shared,
    format: Format = .text,
    of types: [any DispatchState.Type]? = nil,
    to file: FileHandle
  ) {
    let stream = FileStream(file)
    self.init(dispatcher, format, types, stream, file: stream)
  }

  private init(
    _ dispatcher: Dispatcher,
    _ format: Format,
    _ types: [any DispatchState.Type]?,
    _ output: some TextOutputStream & Sendable,
    file: FileStream?
  ) {
    self.file = file
    let stream = Stream(output)
    let types = types.map { Set($0.map { ObjectIdentifier($0) }) }
    dust = dispatcher.intercept { event in
      if let types, !types.contains(ObjectIdentifier(type(of: event.state))) { return }
      stream.write(format.line(for: event) + "\n")
    }
  }

  deinit {
    dust.clean()
  }

  /// Why something couldn't be written to the file, the first time, or `nil` if everything was.
  public var failure: (any Error)? { file?.failure }
}

/// A stream that the calls of an interceptor write to.
private final class Stream<Output: TextOutputStream>: @unchecked Sendable {
  // Calls to one interceptor never overlap, and nobody else has it.
  private var output: Output

  init(_ output: Output) {
    self.output = output
  }

  func write(_ text: String) {
    output.write(text)
  }
}

private final class FileStream: TextOutputStream, @unchecked Sendable {
  private let file: FileHandle
  private let lock = Lock()
  // Guarded by `lock`.
  private var firstFailure: (any Error)?

  init(_ file: FileHandle) {
    self.file = file
  }

  var failure: (any Error)? { lock.withLock { firstFailure } }

  func write(_ text: String) {
    withoutPipeSignal {
      do {
        try file.write(contentsOf: Data(text.utf8))
      } catch {
        lock.withLock { if firstFailure == nil { firstFailure = error } }
      }
    }
  }
}

/// Keeps the signal away that would end the process because nobody reads a pipe any more.
private func withoutPipeSignal(_ body: () -> Void) {
  var pipe = sigset_t()
  var pending = sigset_t()
  var former = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &pipe, &former)
  sigpending(&pending)
  let wasPending = sigismember(&pending, SIGPIPE) == 1
  body()
  sigpending(&pending)
  var signal: CInt = 0
  if !wasPending, sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &signal) }
  pthread_sigmask(SIG_SETMASK, &former, nil)
}

import FluxCapacitorPersistence
import FluxCapacitorTestSupport
import Foundation

/// A file system of which one call fails.
final class FaultyFileSystem: FileSystem {
  enum Fault {
    /// The call has no effect, and throws this error.
    case error(Int32)

    /// The call has its effect, and throws this error nevertheless.
    case errorAfter(Int32)

    /// A `write` writes only the first byte. Other calls have their full effect.
    case partialWrite

    /// The process ends before the call: this call and all later calls have no effect.
    case end

    /// The process ends after the call.
    case endAfter

    /// Whether a keeper repeats the call, or goes on, so that nothing fails.
    var isHarmless: Bool {
      switch self {
      case .error(EINTR), .partialWrite: true
      default: false
      }
    }
  }

  private struct State {
    var calls: [String] = []
    var open: Set<Int32> = []
    var hasEnded = false
    var isHealthy = false
  }

  private let system = SystemFileSystem()
  private let fault: Fault
  private let fails: @Sendable (_ place: Int, _ call: String) -> Bool
  private let state = Locked(State())

  /// - Parameters:
  ///   - place: The number of the call that fails, from 0.
  ///   - fault: The way in which the call fails.
  init(_ fault: Fault, at place: Int) {
    self.fault = fault
    fails = { other, _ in other == place }
  }

  /// Creates a file system in which all calls with a name fail.
  init(_ fault: Fault, atEach name: String) {
    self.fault = fault
    fails = { _, other in other == name }
  }

  /// A file system in which no call fails.
  static var intact: FaultyFileSystem { FaultyFileSystem(.end, at: .max) }

  // The properties `calls` and `open` copy each element under the lock. Otherwise the next call might write to
  // storage that its reader has just released, and the thread sanitizer doesn't see the release.

  /// The names of all calls so far.
  var calls: [String] { state.withLock { $0.calls.map(\.self) } }

  /// The descriptors of the open files and folders.
  var open: Set<Int32> { state.withLock { Set($0.open.map(\.self)) } }

  /// Whether the process has ended.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Lets all later calls succeed.
  func heal() { state.withLock { $0.isHealthy = true } }

  private func call<Result>(
    _ name: String,
    _ body: (_ isPartial: Bool) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    let (fails, hasEnded) = state.withLock { state in
      state.calls.append(name)
      let fails = !state.isHealthy && self.fails(state.calls.count - 1, name)
      return (fails, state.hasEnded)
    }
    if hasEnded { throw SystemError(name, EIO) }
    guard fails else { return try body(false) }
    switch fault {
    case .error(let code): throw SystemError(name, code)
    case .errorAfter(let code):
      _ = try body(false)
      throw SystemError(name, code)
    case .partialWrite: return try body(true)
    case .end:
      end()
      throw SystemError(name, EIO)
    case .endAfter:
      _ = try body(false)
      end()
      throw SystemError(name, EIO)
    }
  }

  /// Closes all files, as the end of a process does. A child process of another test, started at this moment,
  /// still has the descriptors, and so a folder's lock. So this method also unlocks the folder.
  private func end() {
    let open = state.withLock { state in
      state.hasEnded = true
      return state.open.map(\.self)
    }
    for file in open {
      try? system.unlock(file)
      try? system.close(file)
    }
  }

  private func opened(_ file: Int32) -> Int32 {
    state.withLock { _ = $0.open.insert(file) }
    return file
  }

  func makeFolder(_ path: String) throws(SystemError) {
    try call("mkdir") { _ throws(SystemError) in try system.makeFolder(path) }
  }

  func openFolder(_ path: String) throws(SystemError) -> Int32 {
    try call("open folder") { _ throws(SystemError) in opened(try system.openFolder(path)) }
  }

  func lock(_ folder: Int32) throws(SystemError) {
    try call("flock") { _ throws(SystemError) in try system.lock(folder) }
  }

  func unlock(_ folder: Int32) throws(SystemError) {
    // After the end of the process, another keeper might use the same descriptor.
    guard !hasEnded else { return }
    try call("unlock") { _ throws(SystemError) in try system.unlock(folder) }
  }

  func status(of file: Int32) throws(SystemError) -> stat {
    try call("fstat") { _ throws(SystemError) in try system.status(of: file) }
  }

  func status(of name: String, in folder: Int32) throws(SystemError) -> stat {
    try call("fstatat") { _ throws(SystemError) in try system.status(of: name, in: folder) }
  }

  func open(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try call("open") { _ throws(SystemError) in opened(try system.open(name, in: folder)) }
  }

  func create(_ name: String, in folder: Int32) throws(SystemError) -> Int32 {
    try call("create") { _ throws(SystemError) in opened(try system.create(name, in: folder)) }
  }

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try call("read") { isPartial throws(SystemError) in
      let part = isPartial ? UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]) : buffer
      return try system.read(file, into: part)
    }
  }

  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    try call("write") { isPartial throws(SystemError) in
      let part = isPartial ? UnsafeRawBufferPointer(rebasing: bytes[..<1]) : bytes
      return try system.write(file, part)
    }
  }

  func synchronize(_ file: Int32) throws(SystemError) {
    // Another keeper reads what the kernel has, so no disk needs to have it.
    try call("fsync") { _ in }
  }

  func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
    try call("rename") { _ throws(SystemError) in
      try system.rename(name, to: newName, in: folder)
    }
  }

  func link(_ name: String, to newName: String, in folder: Int32) throws(SystemError) {
    try call("link") { _ throws(SystemError) in try system.link(name, to: newName, in: folder) }
  }

  func remove(_ name: String, in folder: Int32) throws(SystemError) {
    try call("unlink") { _ throws(SystemError) in try system.remove(name, in: folder) }
  }

  func close(_ file: Int32) throws(SystemError) {
    // After the end of the process, another keeper might use the same descriptor.
    guard state.withLock({ $0.open.remove(file) }) != nil, !hasEnded else { return }
    // Even if the call fails, the descriptor is closed.
    try? system.close(file)
    try call("close") { _ throws(SystemError) in }
  }

  func watch(
    _ folder: Int32,
    at path: String,
    onChange: @escaping @Sendable (_ files: [String]?) -> Void
  ) throws(SystemError) -> AnyObject & Sendable {
    try call("watch") { _ throws(SystemError) in
      try system.watch(folder, at: path, onChange: onChange)
    }
  }
}

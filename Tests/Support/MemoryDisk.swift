#if DEBUG
  import FluxCapacitorPersistence
  import FluxCapacitorTesting
  import Foundation

  /// A disk with a single folder, which knows what survives a power failure.
  ///
  /// Data survives after an `fsync` of its file, and names survive after an `fsync` of the folder. Each call is one
  /// step of a scenario.
  package final class MemoryDisk: FileSystem, @unchecked Sendable {
    private struct File {
      var bytes: [UInt8] = []
      var durableBytes: [UInt8] = []
    }

    private static let folder = -1

    /// A closure to call after each call. A test sets this property before other threads use the disk.
    @exclusivity(unchecked) package var didCall: (@Sendable () -> Void)?

    // `lock` guards the properties below.
    private let lock = NSLock()
    private var files: [Int: File] = [:]
    private var names: [String: Int] = [:]
    private var durableNames: [String: Int] = [:]
    private var opened: [Int32: (file: Int, offset: Int)] = [:]
    private var lastNumber = 2
    private var lockOwner: Int32?
    private var watchers: [Int: @Sendable ([String]?) -> Void] = [:]
    private var failures: [String: (count: Int, code: Int32)] = [:]
    private var renameCount = 0

    package init() {}

    /// Creates a disk with the files that a power failure has left.
    private init(names: [String: Int], of disk: MemoryDisk) {
      self.names = names
      durableNames = names
      files = disk.files.mapValues { File(bytes: $0.durableBytes, durableBytes: $0.durableBytes) }
      lastNumber = disk.lastNumber
    }

    /// The disks that a power failure at this moment can leave: with the names that certainly survive, and with all
    /// names.
    package var disksAfterPowerFailure: [MemoryDisk] {
      lock.withLock {
        [MemoryDisk(names: durableNames, of: self), MemoryDisk(names: names, of: self)]
      }
    }

    /// The contents of a file, or nil if the file is missing.
    package func text(of name: String) -> String? {
      lock.withLock { names[name].map { String(decoding: files[$0]?.bytes ?? [], as: UTF8.self) } }
    }

    package func write(_ text: String, to name: String) {
      lock.withLock {
        lastNumber += 1
        files[lastNumber] = File(bytes: Array(text.utf8), durableBytes: Array(text.utf8))
        names[name] = lastNumber
        durableNames[name] = lastNumber
      }
    }

    /// The number of files that have received their name, without previous generations.
    package var renames: Int { lock.withLock { renameCount } }

    /// Lets the next calls with a name fail.
    package func fail(_ call: String, times: Int, code: Int32 = ENOSPC) {
      lock.withLock { failures[call] = (times, code) }
    }

    private func step<Result>(
      _ call: String,
      _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
      interleavingPoint()
      let result = lock.withLock {
        Swift.Result { () throws(SystemError) in
          if let (count, code) = failures[call], count > 0 {
            failures[call]?.count = count - 1
            throw SystemError(call, code)
          }
          return try body()
        }
      }
      didCall?()
      return try result.get()
    }

    private func open(_ file: Int) -> Int32 {
      lastNumber += 1
      opened[Int32(lastNumber)] = (file, 0)
      return Int32(lastNumber)
    }

    package func makeFolder(_: String) throws(SystemError) { throw SystemError("mkdir", EEXIST) }

    package func openFolder(_: String) throws(SystemError) -> Int32 {
      try step("open") { () throws(SystemError) in open(MemoryDisk.folder) }
    }

    package func lock(_ folder: Int32) throws(SystemError) {
      try step("flock") { () throws(SystemError) in
        if lockOwner != nil { throw SystemError("flock", EWOULDBLOCK) }
        lockOwner = folder
      }
    }

    package func unlock(_ folder: Int32) throws(SystemError) {
      try step("flock") { () throws(SystemError) in
        if lockOwner == folder { lockOwner = nil }
      }
    }

    package func status(of file: Int32) throws(SystemError) -> stat {
      status(ofFile: lock.withLock { opened[file]?.file ?? 0 })
    }

    package func status(of name: String, in _: Int32) throws(SystemError) -> stat {
      try step("fstatat") { () throws(SystemError) in
        guard let file = names[name] else { throw SystemError("fstatat", ENOENT) }
        return status(ofFile: file)
      }
    }

    private func status(ofFile file: Int) -> stat {
      var status = stat()
      status.st_mode = file == MemoryDisk.folder ? 0o040700 : 0o100600
      status.st_nlink = 1
      status.st_ino = ino_t(truncatingIfNeeded: file)
      return status
    }

    package func open(_ name: String, in _: Int32) throws(SystemError) -> Int32 {
      try step("open") { () throws(SystemError) in
        guard let file = names[name] else { throw SystemError("open", ENOENT) }
        return open(file)
      }
    }

    package func create(_ name: String, in _: Int32) throws(SystemError) -> Int32 {
      try step("open") { () throws(SystemError) in
        if names[name] != nil { throw SystemError("open", EEXIST) }
        lastNumber += 1
        let file = lastNumber
        files[file] = File()
        names[name] = file
        return open(file)
      }
    }

    package func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError)
      -> Int
    {
      try step("read") { () throws(SystemError) in
        guard let (number, offset) = opened[file] else { throw SystemError("read", EBADF) }
        let rest = (files[number]?.bytes ?? []).dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        opened[file]?.offset += rest.count
        return rest.count
      }
    }

    package func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
      try step("write") { () throws(SystemError) in
        guard let number = opened[file]?.file else { throw SystemError("write", EBADF) }
        // Each call writes only a part of many bytes.
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(40))
        files[number]?.bytes += part
        return part.count
      }
    }

    package func synchronize(_ file: Int32) throws(SystemError) {
      try step("fsync") { () throws(SystemError) in
        guard let number = opened[file]?.file else { throw SystemError("fsync", EBADF) }
        if number == MemoryDisk.folder { durableNames = names }
        files[number].map { files[number]?.durableBytes = $0.bytes }
      }
    }

    package func rename(_ name: String, to newName: String, in _: Int32) throws(SystemError) {
      let watchers = try step("rename") { () throws(SystemError) in
        guard let file = names[name] else { throw SystemError("rename", ENOENT) }
        if !newName.contains("previous") { renameCount += 1 }
        if names[newName] != file {
          names[newName] = file
          names[name] = nil
        }
        return self.watchers.sorted { $0.key < $1.key }.map(\.value)
      }
      for watcher in watchers { watcher([newName]) }
    }

    package func link(_ name: String, to newName: String, in _: Int32) throws(SystemError) {
      try step("link") { () throws(SystemError) in
        guard let file = names[name] else { throw SystemError("link", ENOENT) }
        if names[newName] != nil { throw SystemError("link", EEXIST) }
        names[newName] = file
      }
    }

    package func remove(_ name: String, in _: Int32) throws(SystemError) {
      try step("unlink") { () throws(SystemError) in
        guard names.removeValue(forKey: name) != nil else { throw SystemError("unlink", ENOENT) }
      }
    }

    package func close(_ file: Int32) throws(SystemError) {
      try step("close") { () throws(SystemError) in
        opened[file] = nil
        if lockOwner == file { lockOwner = nil }
      }
    }

    package func watch(
      _: Int32,
      at _: String,
      onChange: @escaping @Sendable (_ files: [String]?) -> Void
    ) throws(SystemError) -> AnyObject & Sendable {
      let number = try step("watch") { () throws(SystemError) in
        lastNumber += 1
        watchers[lastNumber] = onChange
        return lastNumber
      }
      return AtEnd { [weak self] in self?.unwatch(number) }
    }

    private func unwatch(_ number: Int) {
      let watcher = lock.withLock { watchers.removeValue(forKey: number) }
      withExtendedLifetime(watcher) {}
    }
  }
#endif

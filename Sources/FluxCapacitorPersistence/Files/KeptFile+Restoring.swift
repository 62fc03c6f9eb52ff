import FluxCapacitor
import Foundation

extension KeptFile {
  /// Returns a store with the saved value, or a new store if nothing has been saved yet.
  ///
  /// - Parameters:
  ///   - isWriter: Whether a recovery may rename files.
  ///   - decide: A closure that decides about a file that can't be restored.
  ///   - makeStore: A closure that creates a store, and restores a value if there is one.
  func load(
    from folder: Folder,
    isWriter: Bool,
    recovering decide: (KeeperFailure) throws(KeeperFailure) -> Recovery,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S {
    do throws(KeeperFailure) {
      let identity = try identity(in: folder)
      guard let data = try data(of: fileName.current, in: folder) else {
        if try data(of: fileName.previous, in: folder) == nil {
          return try store(nil, from: url, makeStore)
        }
        throw KeeperFailure(url, nil, KeeperFailure.Cause.fileMissing)
      }
      hasFile = true
      let store = try store(data, from: url, makeStore)
      if !isWriter { (written, self.identity) = (.contents(data), identity) }
      return store
    } catch {
      switch try decide(error) {
      case .restorePrevious:
        let store = try restorePrevious(in: folder, isWriter: isWriter, makeStore)
        guard let store else { throw error }
        return store
      case .startFresh:
        let store = try store(nil, from: url, makeStore)
        if isWriter {
          try folder.failing(with: fileName.current) { () throws(SystemError) in
            try folder.setAside(fileName)
          }
        }
        return store
      }
    }
  }

  /// Returns a store with the value of the previous generation, or nil if there is none.
  private func restorePrevious(
    in folder: Folder,
    isWriter: Bool,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S? {
    guard let data = try data(of: fileName.previous, in: folder) else { return nil }
    let store = try store(data, from: folder.url(of: fileName.previous), makeStore)
    // A follower changes no file. It adopts the next file with another value.
    guard isWriter else { return store }
    try folder.failing(with: fileName.current) { () throws(SystemError) in
      try folder.restorePrevious(of: fileName, data)
    }
    return store
  }

  func readChangedFile(
    in folder: Folder
  ) throws(KeeperFailure) -> (() throws(KeeperFailure) -> Void)? {
    guard let store else { return nil }
    let identity = try identity(in: folder)
    guard let data = try data(of: fileName.current, in: folder) else {
      if !hasFile { return nil }
      let previous = try self.data(of: fileName.previous, in: folder)
      let cause: any Error =
        previous == nil ? SystemError("open", ENOENT) : KeeperFailure.Cause.fileMissing
      throw KeeperFailure(url, nil, cause)
    }
    let isRead = if case .contents(data) = written { true } else { false }
    if isRead, identity == self.identity { return nil }
    let (value, version) = try value(of: data, from: url)
    hasFile = true
    return { () throws(KeeperFailure) in
      let current = store.saved
      releaseAfterUnlocking(current)
      // If the file was replaced by the same one, only a value that a reduce has changed meanwhile is restored. Only the
      // bytes tell whether equal values are the same.
      let isCurrent = (isRead || areEqual(value, current)) && self.areSame(value, current)
      if !isCurrent {
        do {
          try store.restore(value)
        } catch {
          throw self.refusal(error, of: self.url, version)
        }
      }
      // After a refusal, the next pass tries again.
      (self.written, self.identity) = (.contents(data), identity)
      self.saved?.write(any: value)
    }
  }

  /// The identity of the current file, which each save replaces. If it's replaced before the file is read, the next pass looks
  /// again.
  private func identity(in folder: Folder) throws(KeeperFailure) -> FileIdentity? {
    try folder.failing(with: fileName.current) { () throws(SystemError) in
      try folder.identity(of: fileName.current)
    }
  }

  private func data(of file: String, in folder: Folder) throws(KeeperFailure) -> Data? {
    try folder.failing(with: file) { () throws(SystemError) in try folder.contents(of: file) }
  }
}

import FluxCapacitor
import Foundation

extension KeptStore {
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
          return try store(nil, from: fileName.current, in: folder, makeStore)
        }
        throw KeeperFailure(folder.url(of: fileName.current), nil, KeeperFailure.Cause.fileMissing)
      }
      hasFile = true
      let store = try store(data, from: fileName.current, in: folder, makeStore)
      if !isWriter { (onDisk, self.identity) = (.contents(data), identity) }
      return store
    } catch {
      switch try decide(error) {
      case .restorePrevious:
        let store = try restorePrevious(in: folder, isWriter: isWriter, makeStore)
        guard let store else { throw error }
        return store
      case .startFresh:
        let store = try store(nil, from: fileName.current, in: folder, makeStore)
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
    let store = try store(data, from: fileName.previous, in: folder, makeStore)
    // A follower changes no file. It adopts the next file with another value.
    guard isWriter else { return store }
    try folder.failing(with: fileName.current) { () throws(SystemError) in
      try folder.restorePrevious(of: fileName, data)
    }
    return store
  }

  /// Returns a store with the value in a file's contents, or a new store if there are no contents.
  private func store(
    _ data: Data?,
    from file: String,
    in folder: Folder,
    _ makeStore: (S.Saved?) throws -> S
  ) throws(KeeperFailure) -> S {
    var value: (value: S.Saved, version: Int)?
    // An earlier file might have been refused.
    (onDisk, hasReduced) = (.saved, false)
    if let data { value = try self.value(of: data, from: file, in: folder) }
    // The next save writes the newest version.
    if let value, value.version != archive.version {
      (onDisk, hasReduced) = (.unknown(keepsPrevious: false), true)
    }
    releaseAfterUnlocking(value)
    do {
      return try makeStore(value?.value)
    } catch {
      throw refusal(error, of: file, value?.version, in: folder)
    }
  }

  private func refusal(_ error: any Error, of file: String, _ version: Int?, in folder: Folder)
    -> KeeperFailure
  {
    releaseAfterUnlocking(error)
    return KeeperFailure(folder.url(of: file), version, KeeperFailure.Cause.refused("\(error)"))
  }

  func readChangedFile(
    in folder: Folder
  ) throws(KeeperFailure) -> (() throws(KeeperFailure) -> Void)? {
    guard let store else { return nil }
    let identity = try identity(in: folder)
    guard let data = try data(of: fileName.current, in: folder) else {
      if !hasFile { return nil }
      throw KeeperFailure(folder.url(of: fileName.current), nil, KeeperFailure.Cause.fileMissing)
    }
    let isRead = if case .contents(data) = onDisk { true } else { false }
    if isRead, identity == self.identity { return nil }
    let (value, version) = try value(of: data, from: fileName.current, in: folder)
    hasFile = true
    return { [fileName, archive] () throws(KeeperFailure) in
      let current = store.saved
      releaseAfterUnlocking(current)
      // The same set can be encoded in a different order. If the file was replaced by the same one, only a value that a
      // reduce has changed meanwhile is restored.
      let isCurrent =
        areEqual(value, current)
        || isRead && (try? archive.data(for: value)) == (try? archive.data(for: current))
      if !isCurrent {
        do {
          try store.restore(value)
        } catch {
          throw self.refusal(error, of: fileName.current, version, in: folder)
        }
      }
      // After a refusal, the next pass tries again.
      (self.onDisk, self.identity) = (.contents(data), identity)
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

  private func value(
    of data: Data,
    from file: String,
    in folder: Folder
  ) throws(KeeperFailure) -> (value: S.Saved, version: Int) {
    var version: Int?
    do {
      let envelope = try Envelope(data)
      version = envelope.version
      return (try archive.value(in: envelope), envelope.version)
    } catch {
      throw KeeperFailure(folder.url(of: file), version, error)
    }
  }
}

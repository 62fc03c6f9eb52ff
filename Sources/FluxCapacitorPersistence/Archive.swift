import FluxCapacitor
import Foundation

/// Describes a store's file: its name, its version and its migrations.
///
/// If a changed type can't decode older files any more, keep the older type, increase the version, and add a migration:
///
/// ```swift
/// static let archive = Archive(Saved.self, named: "notes", version: 2)
///   .migrating(from: 1, SavedV1.self) { Saved(notes: $0.lines, draft: "") }
/// ```
///
/// Each migration leads directly to the newest version. If you only add an optional property, you need neither a new
/// version nor a migration.
public struct Archive<Saved: Codable & Sendable>: Sendable {
  /// The name of the file without its extension.
  public let name: String

  /// The version of the saved type.
  public let version: Int

  let coder: any ArchiveCoder
  private var migrations: [Int: @Sendable (Data) throws -> Saved] = [:]

  /// Creates a description of a store's file.
  ///
  /// - Precondition: The name isn't empty, contains neither a slash nor ".aside-" nor ".key-", and doesn't start with a
  ///   period. Otherwise, the initializer traps.
  ///
  /// - Parameters:
  ///   - type: The saved type.
  ///   - name: The name of the file without its extension: the name "notes" stands for the file `notes.json`. Different
  ///     stores need different names.
  ///   - version: The version of the saved type. Increase it when the changed type can't decode older files.
  ///   - coder: The encoder and decoder of the saved type.
  public init(
    _ type: Saved.Type,
    named name: String,
    version: Int,
    coder: some ArchiveCoder = JSONCoder()
  ) {
    // Characters can't be compared, because a combining mark joins a slash to another character.
    guard !name.isEmpty, name.utf8.first != UInt8(ascii: "."),
      !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0),
      !name.contains(".aside-"), !name.contains(FileName.separator)
    else {
      trap(
        "The archive of \(type) can't be named \"\(name)\", because the name is part of a file's name."
      )
    }
    self.name = name
    self.version = version
    self.coder = coder
  }

  /// Returns an archive that can also restore files of an older version.
  ///
  /// - Precondition: The older version is less than the archive's version, and has no migration yet. Otherwise, the method
  ///   traps.
  ///
  /// - Parameters:
  ///   - version: The older version.
  ///   - type: The older version's saved type.
  ///   - coder: The older version's encoder and decoder, or nil for the archive's coder.
  ///   - migrate: Returns the value in the newest version. Return the same value each time, because ``Keeper/saved(_:)``
  ///     shows the value before it's saved. If this closure throws an error, the file can't be opened, and stays as it is.
  public func migrating<Older: Decodable & SendableMetatype>(
    from version: Int,
    _ type: Older.Type,
    coder: (any ArchiveCoder)? = nil,
    _ migrate: @escaping @Sendable (Older) throws -> Saved
  ) -> Archive {
    guard version < self.version, migrations[version] == nil else {
      trap(
        """
        The archive "\(name)" of \(Saved.self) has version \(self.version). It can't migrate from version \
        \(version): \(migrations[version] == nil ? "this version isn't older" : "it already does").
        """
      )
    }
    let coder = coder ?? self.coder
    var copy = self
    copy.migrations[version] = { data in
      let older: Older
      do { older = try coder.decode(Older.self, from: data) } catch { throw Undecodable(error) }
      releaseAfterUnlocking(older)
      return try migrate(older)
    }
    return copy
  }

  /// Returns the saved value of a file.
  package func value(in envelope: Envelope) throws(KeeperFailure.Cause) -> Saved {
    let found = envelope.version
    if found > version { throw .newerVersion(known: version) }
    do {
      if found == version {
        do { return try coder.decode(Saved.self, from: envelope.saved) } catch {
          throw Undecodable(error)
        }
      }
      guard let migrate = migrations[found] else { throw KeeperFailure.Cause.noMigration }
      return try migrate(envelope.saved)
    } catch let error as Undecodable {
      let options = JSONSerialization.ReadingOptions.fragmentsAllowed
      if envelope.isJSON,
        (try? JSONSerialization.jsonObject(with: envelope.saved, options: options)) == nil
      {
        throw .damaged("its saved value isn't valid JSON")
      }
      throw .notDecodable(error.text)
    } catch let error as KeeperFailure.Cause {
      throw error
    } catch {
      releaseAfterUnlocking(error)
      throw .migrationFailed(describe(error))
    }
  }

  /// Returns the contents of the file for a value.
  ///
  /// - Parameter writer: The keeper that writes the contents to a storage, or nil for a file.
  package func data(
    for saved: Saved,
    writer: String? = nil
  ) throws(KeeperFailure.Cause) -> Data {
    let data: Data
    do {
      let saved = try coder.encode(saved)
      data = Envelope(version: version, saved: saved, isJSON: coder.isJSON).data(writer: writer)
    } catch {
      releaseAfterUnlocking(error)
      throw .notEncodable(describe(error))
    }
    // Another coder might have written a text that isn't JSON.
    if coder.isJSON, !(coder is JSONCoder), (try? Envelope(data)) == nil {
      throw .notEncodable("\(type(of: coder)) has not encoded the value as one JSON value")
    }
    return data
  }
}

/// An error of a decoder, as opposed to an error of a migration.
private struct Undecodable: Error {
  let text: String

  init(_ error: any Error) {
    releaseAfterUnlocking(error)
    text = describe(error)
  }
}

/// Returns a description of an error, without the saved values that its own description contains.
func describe(_ error: any Error, depth: Int = 5) -> String {
  switch error {
  case EncodingError.invalidValue(let value, let context):
    "\(type(of: value)): \(context.debugDescription)"
  case DecodingError.typeMismatch(let type, let context): "\(place(context)) isn't a \(type)"
  case DecodingError.valueNotFound(let type, let context): "\(place(context)) lacks a \(type)"
  case DecodingError.keyNotFound(let key, let context): "\(place(context)) lacks \(name(of: key))"
  case DecodingError.dataCorrupted(let context): "\(place(context)) is invalid"
  // The description of Foundation's errors can contain the address of a request, with a password or a token.
  case _ where error is any CustomNSError || type(of: error) is NSError.Type:
    "\((error as NSError).domain) \((error as NSError).code)"
  case _ where depth == 0: "\(type(of: error))"
  default:
    switch innerError(of: error) {
    case .none: "\(error)"
    case .unknown: "\(type(of: error))"
    case .found(let label, let inner):
      "\(type(of: error)).\(label) (\(describe(inner, depth: depth - 1)))"
    }
  }
}

private enum InnerError {
  case none, unknown

  /// An error in a part with a name.
  case found(String, any Error)
}

/// Returns an error that another one contains. The text of the outer error might quote it.
private func innerError(of outer: any Error) -> InnerError {
  var (parts, searched) = ([(label: "", value: outer as Any)], 0)
  while searched < parts.count {
    let (label, value) = parts[searched]
    if searched > 0, let error = value as? any Error { return .found(label, error) }
    searched += 1
    if searched > 1_000 { return .unknown }
    // What isn't read might be an error.
    if value is UnreadPart { return .unknown }
    let children: any Sequence<Mirror.Child>
    if let type = type(of: value) as? AnyClass {
      let types = sequence(first: type) { _getSuperclass($0) }
      children = types.flatMap { storedParts(of: value, as: $0) }
    } else {
      children = mirror(of: value).children.prefix(1_000)
    }
    for child in children { parts.append((searched == 1 ? child.label ?? "" : label, child.value)) }
  }
  return .none
}

/// Returns the path of a value in a file. The key of a dictionary can be as secret as a value, so it is left out.
private func place(_ context: DecodingError.Context) -> String {
  let parts = context.codingPath.map { key in
    if let index = key.intValue, key.stringValue == "Index \(index)" { return "/\(index)" }
    return "/\(name(of: key))"
  }
  return parts.isEmpty ? "the value" : "the value at \(parts.joined())"
}

/// Returns the name of a key in code. The keys of a struct are the cases of an enum.
private func name(of key: any CodingKey) -> String {
  let mirror = Mirror(reflecting: key)
  return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "…"
}

import CPostgres
import Dispatch
import FluxCapacitorPersistence
import Foundation

/// A storage in a table of PostgreSQL.
///
/// A sequence gives each write its revision. Reads and writes have a connection each, because libpq blocks the thread.
struct PostgresStorage: KeeperStorage {
  private let reads: Connection
  private let writes: Connection

  init(_ parameters: String) {
    reads = Connection(parameters)
    writes = Connection(parameters)
  }

  func read(_ name: String) async throws -> StoredContents? {
    try await reads.rows("SELECT contents, revision FROM kept WHERE name = $1", name).first.map {
      StoredContents(Data($0[0].utf8), revision: $0[1])
    }
  }

  /// One statement is one transaction. If another server has replaced a revision meanwhile, PostgreSQL waits for the end of
  /// that transaction, and then compares the revision again.
  func write(_ writes: [StorageWrite]) async throws -> [String: String] {
    let input = try JSONEncoder().encode(
      writes.map { write in
        Row(
          name: write.name,
          contents: write.contents.map { String(decoding: $0, as: UTF8.self) },
          replacing: write.replacing
        )
      }
    )
    let rows = try await self.writes.rows(
      """
      WITH input AS (
        SELECT * FROM json_to_recordset($1::json) AS input (name text, contents text, replacing bigint)
      ), current AS (
        SELECT name, replacing FROM input LEFT JOIN kept USING (name)
        WHERE input.contents IS NULL AND revision IS NOT DISTINCT FROM replacing
      ), inserted AS (
        INSERT INTO kept (name, contents)
        SELECT name, contents FROM input WHERE contents IS NOT NULL AND replacing IS NULL
        ON CONFLICT DO NOTHING RETURNING name, revision
      ), updated AS (
        UPDATE kept SET contents = input.contents, revision = DEFAULT FROM input
        WHERE kept.name = input.name AND revision = replacing AND input.contents IS NOT NULL
        RETURNING kept.name, revision
      )
      SELECT * FROM current UNION ALL SELECT * FROM inserted UNION ALL SELECT * FROM updated
      """,
      String(decoding: input, as: UTF8.self)
    )
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  private struct Row: Encodable {
    let name: String
    let contents: String?
    let replacing: String?
  }
}

struct PostgresError: Error {
  let message: String
}

/// A connection that is opened again after it was lost.
private final class Connection: @unchecked Sendable {
  // Only code on the queue uses the connection.
  private let queue = DispatchQueue(label: "PostgresStorage")
  private var connection: OpaquePointer?
  private let parameters: String

  init(_ parameters: String) {
    self.parameters = "connect_timeout=2 options='-c statement_timeout=5s' \(parameters)"
  }

  deinit { PQfinish(connection) }

  /// Runs a statement with one parameter, and returns the result's rows.
  func rows(_ statement: String, _ parameter: String) async throws -> [[String]] {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Result { try run(statement, parameter) })
      }
    }
  }

  private func run(_ statement: String, _ parameter: String) throws -> [[String]] {
    if PQstatus(connection) != CONNECTION_OK {
      PQfinish(connection)
      connection = PQconnectdb(parameters)
    }
    let result = parameter.withCString { text in
      PQexecParams(connection, statement, 1, nil, [text], nil, nil, 0)
    }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK else {
      throw PostgresError(message: String(cString: PQerrorMessage(connection)))
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
    }
  }
}

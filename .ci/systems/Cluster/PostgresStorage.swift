import CPostgres
import Dispatch
import FluxCapacitorPersistence
import Foundation

/// A storage in a table of PostgreSQL.
///
/// Each write has a random revision. Reads and writes have a connection each, because a call blocks its thread, for at most
/// five seconds.
struct PostgresStorage: KeeperStorage {
  private let reads: Connection
  private let writes: Connection

  init(_ parameters: String) {
    (reads, writes) = (Connection(parameters), Connection(parameters))
  }

  func read(_ name: String) async throws -> StoredContents? {
    try await reads.rows("SELECT contents, revision FROM kept WHERE name = $1", name).first.map {
      StoredContents(Data($0[0].utf8), revision: $0[1])
    }
  }

  /// One statement is one transaction. If another server has replaced a revision meanwhile, PostgreSQL waits for the end of
  /// that transaction, and then compares the revision again.
  func write(_ writes: [StorageWrite]) async throws -> [String: String] {
    let input = writes.map { write in
      let contents = write.contents.map { String(decoding: $0, as: UTF8.self) }
      return Row(name: write.name, contents: contents, replacing: write.replacing)
    }
    let rows = try await self.writes.rows(
      """
      WITH input AS (
        SELECT * FROM json_to_recordset($1::json) AS input (name text, contents text, replacing uuid)
      ), current AS (
        SELECT name, revision FROM input LEFT JOIN kept USING (name)
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
      String(decoding: try JSONEncoder().encode(input), as: UTF8.self)
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

/// A connection that is opened again after each failure.
private final class Connection: @unchecked Sendable {
  // Only code on the queue uses the connection.
  private let queue = DispatchQueue(label: "PostgresStorage")
  private var connection: OpaquePointer?
  private let parameters: String

  init(_ parameters: String) {
    self.parameters = "connect_timeout=2 target_session_attrs=read-write \(parameters)"
  }

  deinit { PQfinish(connection) }

  /// Runs a statement with one parameter, and returns the result's rows.
  func rows(_ statement: String, _ parameter: String) async throws -> [[String]] {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        let rows = Result { try run(statement, parameter) }
        if case .failure = rows { PQfinish(connection.take()) }
        continuation.resume(with: rows)
      }
    }
  }

  private func run(_ statement: String, _ parameter: String) throws -> [[String]] {
    if connection == nil { connection = PQconnectdb(parameters) }
    PQsetnonblocking(connection, 1)
    let isSent = parameter.withCString {
      PQsendQueryParams(connection, statement, 1, nil, [$0], nil, nil, 0)
    }
    guard isSent == 1 else { throw error }
    let end = ContinuousClock.now + .seconds(5)
    while PQflush(connection) == 1 || PQisBusy(connection) == 1 {
      var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      if PQflush(connection) == 1 { socket.events |= Int16(POLLOUT) }
      let rest = Int32(max(0, (end - .now) / .milliseconds(1)))
      guard poll(&socket, 1, rest) != 0 else { throw PostgresError(message: "no answer") }
      guard PQconsumeInput(connection) == 1 else { throw error }
    }
    let result = PQgetResult(connection)
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK, PQgetResult(connection) == nil else {
      throw error
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }
    }
  }

  private var error: PostgresError {
    PostgresError(message: String(cString: PQerrorMessage(connection)))
  }
}

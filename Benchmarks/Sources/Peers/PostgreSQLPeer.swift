#if PostgreSQL
import CPostgreSQL
import Foundation
public import TelemetryModels

/// An event store on PostgreSQL, over one connection of libpq whose calls block: one table, one transaction per batch, unique event
/// identifiers per client.
public final class PostgreSQLPeer {
    /// A batch as the parameters of one statement, made before it is timed.
    public struct Batch: Sendable {
        public let count: Int
        fileprivate let arrays: [String]

        public init(_ events: [TelemetryEvent]) throws {
            count = events.count
            let encoder = JSONEncoder()
            arrays = [
                Self.array(events.map { $0.clientId ?? "" }), Self.array(events.map(\.eventId)),
                Self.array(events.map(\.sessionId)), Self.array(events.map(\.name)), Self.array(events.map { $0.scenario ?? "" }),
                Self.array(try events.map { String(decoding: try encoder.encode($0), as: UTF8.self) }),
            ]
        }

        /// The text form of an array of texts.
        private static func array(_ texts: [String]) -> String {
            let elements = texts.map {
                "\"\($0.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\""))\""
            }
            return "{\(elements.joined(separator: ","))}"
        }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let connection: OpaquePointer

    /// - Parameter database: The address, `postgresql://USER@HOST/NAME`.
    public init(database: String) throws {
        guard let connection = PQconnectdb(database) else { throw Failure(description: "libpq has no memory") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
        try execute("SET client_min_messages = warning")
    }

    deinit { PQfinish(connection) }

    /// Creates the table if it is missing, and prepares the insertion.
    public func prepare() throws {
        try execute(Self.schema)
        let result = PQprepare(connection, Self.statement, Self.insertion, 0, nil)
        try check(result)
    }

    /// Runs a statement without parameters.
    public func execute(_ sql: String) throws { try check(PQexec(connection, sql)) }

    /// Stores what is not stored yet. The batch is on disk when this returns.
    /// - Returns: how many events were new.
    public func append(_ batch: Batch) throws -> Int {
        let copies = batch.arrays.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let values = copies.map { UnsafePointer($0) }
        let result = PQexecPrepared(connection, Self.statement, Int32(values.count), values, nil, nil, 0)
        let stored = result.map { String(cString: PQcmdTuples($0)) } ?? ""
        try check(result)
        return Int(stored) ?? 0
    }

    private func check(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
    }

    private static let statement = "append"
    private static let schema = """
        CREATE TABLE IF NOT EXISTS peer_event (
            number bigserial PRIMARY KEY, client text NOT NULL, event text NOT NULL, session text NOT NULL, name text NOT NULL,
            scenario text NOT NULL, body text NOT NULL, UNIQUE (client, event))
        """
    private static let insertion = """
        INSERT INTO peer_event (client, event, session, name, scenario, body)
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        ON CONFLICT DO NOTHING
        """
}
#endif

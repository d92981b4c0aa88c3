#if PostgreSQL
import Foundation
import PostgreSQLClient
import Synchronization

/// Shares the use of rate limits in a table of totals, one for each relay and source.
final class PostgreSQLRateStore: RelayRateStorage {
    private struct Row: Hashable {
        let relay: String
        let source: Data
    }

    private struct State {
        /// The totals at the last call; nil before the first one.
        var known: [Row: Double]?
        var calls = 0
    }

    private static let maximumKnown = 200_000
    /// The number of calls after which old totals are deleted.
    private static let callsATidying = 120

    private let database: PostgreSQLDatabase
    private let relay: String
    private let state = Mutex(State())

    init(_ database: PostgreSQLDatabase, relay: String) {
        self.database = database
        self.relay = relay
    }

    func exchangeUse(_ use: [RelayRateSource: Double]) async throws -> [RelayRateSource: Double] {
        if !use.isEmpty { try await add(use) }
        let isFirst = state.withLock { $0.known == nil }
        // The first call reads all totals, so that later ones can compute differences.
        let age = isFirst ? "1 hour" : "5 seconds"
        let rows = try await database.rows(
            "SELECT relay, source, used FROM rate_use WHERE relay <> $1 AND updated > now() - interval '\(age)'", [.text(relay)]
        ).map { row in (Row(relay: try row.text(0), source: try row.bytes(1)), try row.double(2)) }
        try await tidy()
        return state.withLock { state in
            var others: [RelayRateSource: Double] = [:]
            for (row, used) in rows {
                let before = state.known?[row] ?? 0
                // A total that is smaller began anew.
                if !isFirst { others[.init(bytes: Array(row.source)), default: 0] += used >= before ? used - before : used }
                state.known = state.known ?? [:]
                state.known?[row] = used
            }
            state.known = state.known ?? [:]
            if (state.known?.count ?? 0) > Self.maximumKnown { state.known = nil }
            return others.filter { $0.value > 0 }
        }
    }

    private func add(_ use: [RelayRateSource: Double]) async throws {
        // In order, so that two relays do not wait for each other.
        let sorted = use.map { (Data($0.key.bytes), $0.value) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
        try await database.write(
            """
            INSERT INTO rate_use (relay, source, used, updated)
            SELECT $1, source, used, now() FROM unnest($2::bytea[], $3::float8[]) AS input (source, used)
            ON CONFLICT (relay, source) DO UPDATE SET used = rate_use.used + excluded.used, updated = excluded.updated
            """, [.text(relay), .byteStrings(sorted.map(\.0)), .doubles(sorted.map(\.1))])
    }

    private func tidy() async throws {
        let isDue = state.withLock { state in
            state.calls += 1
            return state.calls.isMultiple(of: Self.callsATidying)
        }
        if isDue { try await database.write("DELETE FROM rate_use WHERE updated < now() - interval '1 hour'") }
    }
}
#endif

import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// Which identifiers of events are new.
struct EventIdentityTests {
    private static func event(_ number: Int, prefix: String = "s") -> SampleEvent {
        SampleEvent(
            clientId: "c", sessionId: "s", eventId: "\(prefix)-\(number)", name: "n", time: RelayTime(seconds: Int64(number)),
            scenario: nil, level: .info, text: "\(number)")
    }

    @Test("Of identifiers in any order, each is stored once", arguments: StorageDriver.all, 1...4)
    func anyOrder(driver: StorageDriver, seed: UInt64) async throws {
        try await StorageBench.open(driver) { storage in
            var random = SeededGenerator(seed: seed)
            var known: Set<String> = []
            for _ in 1...30 {
                // Intervals are extended, met from below, and passed over.
                let (span, start) = (Int.random(in: 1...300, using: &random), Int.random(in: 0...300, using: &random))
                var numbers = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                    start + Int.random(in: 0..<span, using: &random)
                }
                if Bool.random(using: &random) { numbers.sort() }
                let batch = numbers.map { Self.event($0, prefix: Bool.random(using: &random) ? "a" : "b") }
                let new = batch.count { known.insert($0.eventId).inserted }
                #expect(try await storage.events.append(batch) == .init(stored: new, duplicates: batch.count - new))
            }
            let rows = try await #require(storage.tables).database.read {
                try $0.rows("SELECT prefix, first, last FROM event_identity ORDER BY prefix, first").map {
                    (prefix: try $0.bytes(0), numbers: try $0.int(1)...$0.int(2))
                }
            }
            #expect(rows.reduce(0) { $0 + $1.numbers.count } == known.count)
            for (row, next) in zip(rows, rows.dropFirst()) where row.prefix == next.prefix {
                #expect(row.numbers.upperBound < next.numbers.lowerBound)
            }
        }
    }

    @Test("Scattered identifiers that are stored already cost few statements, and those between them are not read for a far one")
    func scattered() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let database = CountingDatabase(base: storage.database)
        let state = try await database.read { try #require(try DatabaseStores.State.fetch($0)) }
        let events = DatabaseStores(database, state, .init()).events
        let batch = (1...5_000).map { Self.event($0 * 2) }
        #expect(try await events.append(batch) == .init(stored: 5_000, duplicates: 0))
        database.counts.withLock { $0 = (0, 0) }
        #expect(try await events.append(batch.reversed()) == .init(stored: 0, duplicates: 5_000))
        #expect(database.counts.withLock(\.statements) < 40)
        database.counts.withLock { $0 = (0, 0) }
        let far = [0, 5_001, 20_000].map { Self.event($0) }
        #expect(try await events.append(far) == .init(stored: 3, duplicates: 0))
        #expect(database.counts.withLock(\.rows) < 40)
        try await storage.close()
    }

    /// Counts the statements of transactions, and the rows that they read.
    private final class CountingDatabase: StorageDatabase {
        private struct Connection: StorageConnection {
            let base: any StorageConnection
            let database: CountingDatabase

            private func count(statements: Int, rows: Int = 0) {
                database.counts.withLock { $0 = ($0.statements + statements, $0.rows + rows) }
            }

            func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) throws {
                count(statements: 1)
                try base.forEachRow(sql, values) { row in
                    count(statements: 0, rows: 1)
                    try body(row)
                }
            }

            func execute(_ sql: String, _ values: [StorageValue]) throws -> Int {
                count(statements: 1)
                return try base.execute(sql, values)
            }

            func rows(_ statements: [Statement]) throws -> [[StorageRow]] {
                let rows = try base.rows(statements)
                count(statements: statements.count, rows: rows.reduce(0) { $0 + $1.count })
                return rows
            }

            func enqueue(_ sql: String, _ values: [StorageValue]) throws {
                count(statements: 1)
                try base.enqueue(sql, values)
            }
        }

        let counts = Mutex((statements: 0, rows: 0))
        private let base: SQLiteDatabase

        init(base: SQLiteDatabase) { self.base = base }

        func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
            try await base.read(body)
        }

        func query<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
            try await base.query(body)
        }

        func rows(_ sql: String, _ values: [StorageValue]) async throws -> [StorageRow] { try await base.rows(sql, values) }

        func write<Value: Sendable>(
            _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value,
            done: @escaping @Sendable (Result<Value, any Error>) -> Void
        ) {
            base.write(part, { try body(Connection(base: $0, database: self)) }, done: done)
        }
    }
}

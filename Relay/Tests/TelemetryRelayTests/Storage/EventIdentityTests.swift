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
        /// Adds identifiers; returns how many are new, and what that cost.
        func add(_ numbers: [Int]) async throws -> (new: Int, statements: Int, rows: Int) {
            let batch = RelayEventBatch(numbers.map { Self.event($0) })
            return try await storage.database.write(.events) { db in
                let counting = CountingConnection(base: db)
                var identities = try EventIdentities(counting, received: 1, for: [(batch, batch.runs.map { _ in 1 })])
                let new = batch.events.count { identities.add($0.identifier, client: 1) != nil }
                return (new, counting.statements, counting.rows)
            }
        }
        let numbers = (1...5_000).map { $0 * 2 }
        #expect(try await add(numbers).new == 5_000)
        let again = try await add(numbers.reversed())
        #expect(again.new == 0 && again.statements < 40)
        let far = try await add([0, 5_001, 20_000])
        #expect(far.new == 3 && far.rows < 40)
        try await storage.close()
    }
}

import Foundation
import GRDB
import Synchronization
import Testing

@testable import TelemetryRelay

/// Filters by time and name, without a client.
struct EventIndexTests {
    private static func time(_ seconds: ClosedRange<Int64>) -> RelayEventFilter {
        .init(since: RelayTime(seconds: seconds.lowerBound), until: RelayTime(seconds: seconds.upperBound + 1))
    }

    private static let filters: [RelayEventFilter] = [
        .all, time(10...20), .init(names: ["n1"]), .init(clients: ["c"]), .init(sessionId: "s", since: RelayTime(seconds: 10)),
    ]

    /// The query plans of all statements of a selection.
    private func plans(_ db: Database, _ filter: RelayEventFilter, _ order: RelayEventOrder) throws -> [String] {
        let statements = Mutex<[String]>([])
        db.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
        let reader = BlockReader(SQLiteConnection(database: db), EventSelection(filter)) { _ in [] }
        _ = try reader.events(in: 1...1_000_000, order, limit: 10)
        _ = try reader.count(in: 1...1_000_000)
        db.trace()
        return try statements.withLock { $0 }.flatMap { statement in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(statement)").compactMap { row -> String? in row["detail"] }
        }
    }

    @Test("Blocks are found by an index, with streams by theirs", arguments: filters)
    func plan(filter: RelayEventFilter) async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        _ = try await storage.events.append([Sample.event(1)])
        try await storage.database.writer.write { db in
            for order in [RelayEventOrder.ascending, .descending] {
                let plans = try plans(db, filter, order)
                // Only the blocks that reach into the range from before are sorted.
                let sorts = plans.filter { $0.contains("TEMP B-TREE") }
                #expect(sorts.count <= 2, "\(plans)")
                #expect(!plans.isEmpty)
                let index =
                    filter.sessionId != nil
                    ? "event_block_of_stream" : filter.clients != nil ? "event_block_of_client" : "event_block_by_"
                let isIndexed = plans.filter { $0.contains("event_block") }.allSatisfy {
                    $0.contains(index) && $0.contains("<") || $0.contains("PRIMARY KEY")
                }
                #expect(isIndexed, "\(plans)")
            }
        }
        try await storage.close()
    }

    @Test("Events of many blocks are found by time and name, in any order of times", arguments: StorageDriver.all)
    func blocks(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            // Each block has its own range of times and some times of another block.
            let count = 3_172
            func seconds(_ number: Int) -> Int { number % 100 == 0 ? count - number : number }
            for start in stride(from: 1, through: count, by: 500) {
                _ = try await storage.events.append(
                    (start...min(start + 499, count)).map { number in
                        var event = Sample.event(number, client: "c\(number % 2)", name: "n\(number % 7)")
                        event.time = RelayTime(seconds: Int64(seconds(number)))
                        return event
                    })
            }
            func expect(_ filter: RelayEventFilter, _ matches: (Int) -> Bool) async throws {
                let expected = (1...count).filter(matches).map(String.init)
                #expect(try await storage.texts(filter, limit: 90) == expected)
                #expect(try await storage.texts(filter, order: .descending, limit: 900) == expected.reversed())
                #expect(try await storage.events.count(matching: filter) == expected.count)
            }
            try await expect(Self.time(1_000...1_100)) { (1_000...1_100).contains(seconds($0)) }
            try await expect(.init(since: RelayTime(seconds: 3_000))) { seconds($0) >= 3_000 }
            try await expect(.init(names: ["n1", "n5"], until: RelayTime(seconds: 2_000))) {
                [1, 5].contains($0 % 7) && seconds($0) < 2_000
            }
            try await expect(.init(names: ["n6"])) { $0 % 7 == 6 }
            try await expect(.init(clients: ["c1"], names: ["n6"], since: RelayTime(seconds: 500))) {
                $0 % 7 == 6 && $0 % 2 == 1 && seconds($0) >= 500
            }
            let old = (1...count).filter { seconds($0) < 2_000 }.count
            #expect(try await storage.events.delete(matching: .init(until: RelayTime(seconds: 2_000))) == old)
            try await storage.expire()
            try await expect(Self.time(1_000...2_100)) { (2_000...2_100).contains(seconds($0)) }
        }
    }
}

import Foundation

@testable import RelayReaders

/// Parses the body of a POST request to the relay, stores its entries and queries them.
enum RelayBodyTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let body = Data(bytes)
        guard let batch = RelayAccess.batch(body) else {
            require(RelayAccess.reason(body).utf8.count <= 310, "an error's reason exceeds 310 bytes")
            return
        }
        require(batch.good.count + batch.refused == batch.entries, "an entry is neither good nor refused")
        for entry in batch.good { readBack(entry) }
        let found = wait {
            let storage = InMemoryDebugLogStorage(retention: .init(age: 1e9))
            _ = try? await storage.store(batch.good)
            var query = DebugLogQuery()
            query.limit = 1_000
            return await storage.page(of: query).entries
        }
        let distinct = Set(batch.good.map(\.id)).count
        require(found.count == min(distinct, 1_000), "\(distinct) entries were stored, \(found.count) found")
    }

    private static func readBack(_ entry: DebugLog) {
        do {
            let again = try JSONDecoder().decode(DebugLog.self, from: JSONEncoder().encode(entry))
            require(
                again.id == entry.id && again.payload == entry.payload, "an entry changes when encoded again: \(entry) \(again)")
        } catch {
            violated("an accepted entry cannot be encoded: \(error)")
        }
        require(RelayAccess.text(ofPayload: entry) != nil, "an accepted payload cannot be stored")
    }
}

import Foundation
@_spi(Tooling) import TelemetryModels

@testable import RelayReaders

/// Parses the query of a request to the relay, one parameter per line, and reads the matching pages.
enum RelayQueryTarget {
    private static let entries: [DebugLog] = (0..<20).map(entry)

    private static func entry(_ number: Int) -> DebugLog {
        DebugLog(
            timestamp: Date(timeIntervalSince1970: Double(number)), source: number % 2 == 0 ? .ios : .cli,
            level: number % 3 == 0 ? .error : .info, event: "event \(number)", payload: ["n": .int(Int64(number))])
    }

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let parameters = bytes.split(separator: 0x0A).map { line -> (name: String, value: String) in
            let parts = line.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            return (String(decoding: parts[0], as: UTF8.self), parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
        }
        guard let query = RelayAccess.query(parameters) else { return }
        require((1...1_000).contains(query.limit), "a page of \(query.limit)")
        require(query.wait >= .zero && query.wait <= .seconds(60), "a wait of \(query.wait)")
        wait {
            let storage = InMemoryDebugLogStorage(retention: .init(age: 1e9))
            _ = try? await storage.store(entries)
            var query = query
            var seen = 0
            // Reads page by page, as a client does. No entry is repeated, and reading ends.
            for _ in 0..<entries.count + 2 {
                let page = await storage.page(of: query)
                require(page.entries.count <= query.limit, "a page larger than its limit")
                seen += page.entries.count
                guard page.hasMore else { break }
                query.cursor = page.cursor
            }
            require(seen <= entries.count, "\(seen) of \(entries.count) entries")
        }
    }
}

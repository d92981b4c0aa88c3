import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

extension StoreSuite {
    /// Reads all events page by page, like a viewer that opens a store.
    func reading(page: Int) -> Comparison {
        let events = SampleEvents.make(count(batch: page))
        let bytes = Self.leanLines(events)
        let aims: [Comparison.Aim] =
            [10: 0.8, 50: 0.5, 500: 0.3][page].map { [.of("file transport", atMost: $0, times: "GRDB")] } ?? []
        return Comparison(
            "Read back, pages of \(page), per event", rounds: scale.effectiveRounds,
            contenders: [
                Contender("file transport", operations: events.count) { directory in
                    let writer = try FileTelemetryTransport(directory: directory)
                    for batch in Self.batches(of: events, size: 400) { try await writer.append(batch) }
                    // A separate reader, which has nothing cached yet.
                    return try FileTelemetryTransport(directory: directory)
                } round: { transport in
                    var cursor: TelemetryCursor?
                    var count = 0
                    while true {
                        let next = try await transport.events(matching: .all, after: cursor, limit: page)
                        cursor = next.cursor
                        count += next.events.count
                        if !next.hasMore { break }
                    }
                    try expect(count, events.count)
                },
                Contender("read(2), lines counted", operations: events.count) { directory in
                    let file = try RawFile(directory: directory)
                    try file.append(bytes)
                    return file
                } round: { file in
                    try expect(try file.countLines(chunk: page * 128), events.count)
                },
                Contender("GRDB", operations: events.count) { directory in
                    let store = try SQLitePeer(directory: directory, synchronous: .normal)
                    try store.append(events[...])
                    return store
                } round: { store in
                    var row: Int64 = 0
                    var count = 0
                    while true {
                        let next = try store.events(after: row, limit: page)
                        if next.events.isEmpty { break }
                        row = next.row
                        count += next.events.count
                    }
                    try expect(count, events.count)
                },
            ], aims: aims)
    }
}

struct Miscount: Error, CustomStringConvertible {
    let description: String
}

/// Throws if a contender did not do its work.
func expect(_ count: Int, _ expected: Int) throws {
    guard count == expected else { throw Miscount(description: "\(count) events instead of \(expected)") }
}

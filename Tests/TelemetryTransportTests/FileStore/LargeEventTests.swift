import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetrySystem
@testable import TelemetryTransport

/// Segments and events that are larger than the pieces that are read.
struct LargeEventTests {
    @Test("Deleting from a segment of many megabytes reads and writes it in pieces")
    func deletion() async throws {
        try await withTemporaryDirectory { directory in
            let largest = Mutex(0)
            let system = FileSystem(readObserver: { _, count in largest.withLock { $0 = max($0, count) } })
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(segmentBytes: 64 << 20), system: system)
            let text = String(repeating: "x", count: 700 << 10)
            let all = (1...12 as ClosedRange<UInt64>).map {
                event($0, session: "s\($0 / 5)", name: "n\($0 % 3)", property1: "\($0)\(text)")
            }
            for start in stride(from: 0, to: 12, by: 4) { try await store.append(Array(all[start..<start + 4])) }
            let cursor = try await store.events(matching: .all, after: nil, limit: 6).cursor
            largest.withLock { $0 = 0 }
            #expect(try await store.deleteEvents(matching: .init(names: ["n1"])) == 4)
            #expect(try await store.deleteEvents(matching: .init(sessionId: "s1")) == 4)
            #expect(largest.withLock { $0 } <= 1 << 20)
            let left = all.filter { $0.name != "n1" && $0.sessionId != "s1" }
            #expect(try await FileTelemetryTransport(directory: directory).fetchAllEvents() == left)
            let rest = try await store.events(matching: .all, after: cursor, limit: 99).events
            #expect(rest == left.filter { $0.sequence > 6 })
            #expect(try await store.countEvents() == left.count)
        }
    }

    @Test("An event whose line is longer than the reading limit is refused in any configuration, and the largest is read")
    func largestEvent() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(maximumEventBytes: .max, diagnostics: { told.append($0) }))
            let tooLarge = event(1, property1: String(repeating: "x", count: FileLines.maximumLineBytes))
            #expect(await code { try await store.append([tooLarge]) } == .invalidArgument)
            #expect(await code { try await store.append([event(2), event(2, client: "other"), tooLarge]) } == .invalidArgument)
            #expect(try await store.countEvents() == 0)
            let largest = event(3, property1: String(repeating: "x", count: FileLines.maximumLineBytes - 1_000))
            try await store.append([largest, event(4)])
            #expect(try await store.fetchAllEvents() == [largest, event(4)])
            #expect(try await store.deleteEvents(matching: .init(clientId: "client", names: ["none"])) == 0)
            #expect(try await store.countEvents(matching: .init(names: ["name"])) == 2)
            #expect(told.all.isEmpty)
        }
    }
}

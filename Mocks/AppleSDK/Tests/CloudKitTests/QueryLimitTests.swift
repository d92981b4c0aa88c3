import CloudKitWorld
import FakeCloudKitServer
import TelemetryCloudKit
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The fake server's limit for the values of a query, and the transport's handling of it.
struct QueryLimitTests {
    @Test("A filter with more names than a query may have finds, counts and deletes each of its events once, in order")
    func manyNames() async throws {
        let world = try World.deployed()
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "user")
        let transport = world.transport()
        // "N" is in the first query and "n" in the last; each of these finds the events of both names.
        let names = ["n", "N"] + (1...298).map { "a\($0)" }
        try await transport.append(
            (0..<600).map { number in
                TelemetryEvent(
                    eventId: "e\(number)", clientId: "c", sessionId: "s", sequence: UInt64(number), name: names[number % 300],
                    timestamp: TelemetryFixtures.date, device: TelemetryFixtures.device, threadId: "1")
            })
        let filter = TelemetryEventFilter(names: Set(names))
        var read: [UInt64] = []
        var cursor: TelemetryCursor?
        for size in [250, 250, 100] {
            let page = try await transport.events(matching: filter, after: cursor, limit: 250)
            #expect(page.events.count == size)
            read += page.events.map(\.sequence)
            cursor = page.cursor
        }
        #expect(read == (0..<600).map { UInt64($0) })
        #expect(try await transport.countEvents(matching: filter) == 600)
        #expect(try await transport.deleteEvents(matching: filter) == 600)
        #expect(world.server.records().isEmpty)
    }
}

import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileSharingTests {
    @Test("Two transports of one directory read each other's events, in order, from a cursor")
    func sharedEvents() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            let viewer = try FileTelemetryTransport(directory: directory)
            let first = (1...20).map { TelemetryEvent(clientId: "a", sessionId: "s", sequence: $0, name: "n\($0)") }
            try await writer.append(first)
            let page = try await viewer.events(matching: .all, after: nil, limit: 7)
            #expect(page.events == Array(first[..<7]))
            #expect(page.hasMore)
            let rest = try await viewer.events(matching: .init(clientId: "a"), after: page.cursor, limit: 500)
            #expect(rest.events == Array(first[7...]))
            #expect(!rest.hasMore)
            let more = TelemetryEvent(sessionId: "t", name: "x")
            try await viewer.append([more, more])
            try await viewer.append([more])
            let last = try await writer.events(matching: .all, after: rest.cursor, limit: 500)
            #expect(last.events == [more])
            #expect(try await writer.countEvents() == 21)
            #expect(try await viewer.deleteEvents(matching: .init(names: ["n3", "x"])) == 2)
            #expect(try await writer.fetchAllEvents() == first.filter { $0.name != "n3" })
            #expect(try await writer.events(matching: .all, after: page.cursor, limit: 500).events == Array(first[7...]))
        }
    }

    @Test("A change by one transport notifies another's subscriber")
    func notifications() async throws {
        try await withTemporaryDirectory { directory in
            let client = try FileTelemetryTransport(directory: directory)
            let viewer = try FileTelemetryTransport(directory: directory)
            try await viewer.createClientRecordSubscription()
            var notifications = viewer.notifications().makeAsyncIterator()
            let record = try await client.createTelemetryClient(clientId: "../../a", isEnabled: false)
            let notification = await notifications.next()
            #expect(notification?.recordID == record.recordID)
            #expect(try await viewer.fetchTelemetryClients().map(\.clientId) == ["../../a"])
            await #expect(throws: TelemetryTransportError.self) {
                try await viewer.createTelemetryClient(clientId: "../../a", isEnabled: true)
            }
            try await viewer.updateTelemetryClient(recordID: try #require(record.recordID), isEnabled: true)
            #expect(try await client.fetchTelemetryClients(isEnabled: true).count == 1)
        }
    }
}

import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FilterQueryTests {
    @Test("A filter whose query has pipes is an invalid argument", arguments: [false, true])
    func pipes(isFile: Bool) async throws {
        let filter = try TelemetryEventFilter(query: TelemetryQuery("a | limit 1"))
        try await withTemporaryDirectory { directory in
            let transport: any TelemetryTransporting =
                isFile ? try FileTelemetryTransport(directory: directory) : InMemoryTelemetryTransport()
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await transport.events(matching: filter, after: nil, limit: 1) },
                { _ = try await transport.newestEvents(matching: filter, limit: 1) },
                { _ = try await transport.countEvents(matching: filter) },
                { _ = try await transport.summarizedCount(matching: filter) },
                { _ = try await transport.eventCounts(matching: filter) },
                { _ = try await transport.result(of: .all, matching: filter, now: Date()) },
                { _ = try await transport.deleteEvents(matching: filter) },
            ]
            for call in calls {
                let error = await #expect(throws: TelemetryTransportError.self) { try await call() }
                #expect(error?.code == .invalidArgument)
            }
        }
    }

    @Test("A count ends with its task, whatever the number of batches that are left", arguments: [false, true])
    func cancelledCount(isSummarized: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            try await transport.append([TelemetryEvent(clientId: "a", sessionId: "s", name: "n")])
            let filter = try TelemetryEventFilter(query: TelemetryQuery("n"))
            let counting = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return isSummarized
                    ? try await transport.summarizedCount(matching: filter) : try await transport.countEvents(matching: filter)
            }
            await #expect(throws: CancellationError.self) { try await counting.value }
        }
    }

    @Test("A filter is stored with the text of its query")
    func stored() throws {
        let filter = try TelemetryEventFilter(clientId: "a", query: TelemetryQuery("status : >=500"))
        let data = try JSONEncoder().encode(filter)
        #expect(String(decoding: data, as: UTF8.self).contains(#""query":"status:>=500""#))
        #expect(try JSONDecoder().decode(TelemetryEventFilter.self, from: data) == filter)
    }
}

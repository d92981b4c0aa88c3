import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

/// Queries for records whose answer has several pages.
@Suite(.oneAtATime)
struct RecordPagesTests {
    private static func page(
        _ numbers: [String: Int], cursor: String? = nil, hasMore: Bool? = nil
    ) -> LoopbackServer.Behaviour {
        let records = numbers.sorted { $0.value < $1.value }
            .map { #"{"recordType":"T","recordName":"\#($0.key)","fields":{"n":\#($0.value)}}"# }
        let more = [cursor.map { #","cursor":"\#($0)""# }, hasMore.map { #","hasMore":\#($0)"# }].compactMap(\.self).joined()
        return .answers(200, body: #"{"records":[\#(records.joined(separator: ","))]\#(more)}"#)
    }

    private static func names(_ server: LoopbackServer) async throws -> [String] {
        try await Relay.transport(server).records(matching: .init(recordType: "T", sortField: "n")).map(\.recordID.recordName)
    }

    @Test("Pages are followed by their cursors until there are no more")
    func follows() async throws {
        let server = try LoopbackServer(
            Self.page(["a": 1, "b": 2], cursor: "1", hasMore: true), Self.page(["c": 3], cursor: "2", hasMore: true),
            Self.page(["d": 4], cursor: "3", hasMore: false))
        defer { server.stop() }
        #expect(try await Self.names(server) == ["a", "b", "c", "d"])
        let cursors = try server.requests.map { try object($0.body)["after"] as? String }
        #expect(cursors == [nil, "1", "2"])
    }

    @Test("An answer of a relay without pages is complete")
    func withoutPages() async throws {
        let server = try LoopbackServer(Self.page(["a": 1]))
        defer { server.stop() }
        #expect(try await Self.names(server) == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test("A record that arrives twice appears once, as it arrived last, and in the query's order")
    func moved() async throws {
        let server = try LoopbackServer(
            Self.page(["a": 1, "b": 2], cursor: "1", hasMore: true), Self.page(["a": 9, "c": 3], cursor: "2", hasMore: false))
        defer { server.stop() }
        let records = try await Relay.transport(server).records(matching: .init(recordType: "T", sortField: "n"))
        #expect(records.map(\.recordID.recordName) == ["b", "c", "a"] && records.last?["n"] == 9)
    }

    @Test("A relay whose pages never end is an error")
    func endless() async throws {
        let pages = [Self.page(["a": 1], cursor: "1", hasMore: true), Self.page([:], cursor: "1", hasMore: true)]
        for next in pages + [Self.page(["b": 2], hasMore: true)] {
            let requests = Mutex(0)
            let server = try LoopbackServer { _ in
                let number = requests.withLock { number in
                    number += 1
                    return number
                }
                return number == 1 ? pages[0] : number < 9 ? next : Relay.problem(400, "conflict")
            }
            defer { server.stop() }
            let error = await #expect(throws: TelemetryTransportError.self) { try await Self.names(server) }
            #expect(error?.code == RelayClient.unexpectedAnswer.code)
            #expect(server.requests.count == 2)
        }
    }
}

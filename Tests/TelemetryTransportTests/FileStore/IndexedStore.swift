import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// A store of several completed journal files, and what its answers must be.
struct IndexedStore {
    let directory: URL
    /// Small files, so that few events complete several of them.
    static let configuration = FileTelemetryTransport.Configuration(
        segmentBytes: 6_000, journalBytes: 2_000, pollInterval: .milliseconds(20))

    let writer: FileTelemetryTransport
    private(set) var all: [TelemetryEvent] = []
    private var count: UInt64 = 0

    init(_ directory: URL) throws {
        self.directory = directory
        writer = try FileTelemetryTransport(directory: directory, configuration: Self.configuration)
    }

    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    /// Appends random batches of four clients. Now and then a batch has two sessions, an old time, or a drop report.
    mutating func fill(batches: Int, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<batches {
            let client = Int.random(in: 0..<4, using: &random)
            let age = Int.random(in: 0..<20, using: &random) == 0 ? -90_000.0 : 0
            let isMixed = Int.random(in: 0..<10, using: &random) == 0
            var batch: [TelemetryEvent] = []
            for place in 0..<Int.random(in: 1...9, using: &random) {
                let number = count
                count += 1
                let session = "s\(client)\(isMixed && place.isMultiple(of: 2) ? "b" : "")"
                let isReport = Int.random(in: 0..<15, using: &random) == 0
                let scenario = isReport ? nil : Self.scenarios(number, isMixed).randomElement(using: &random) ?? nil
                batch.append(
                    TelemetryEvent(
                        eventId: "\(session)-\(number)", clientId: client == 3 ? nil : "c\(client)", sessionId: session,
                        sequence: number, name: isReport ? "telemetry.dropped" : "n\(number % 3)",
                        timestamp: Self.start + Double(number) * 7.123_457 + age,
                        device: TelemetryDeviceInfo(
                            deviceType: "d", deviceName: "vm\(client)", deviceModel: "m", osVersion: "o", appVersion: "a"),
                        threadId: "1", attributes: isReport ? ["full": .int(3)] : [:], scenario: scenario,
                        level: number.isMultiple(of: 5) ? .diagnostic : .info))
            }
            try await writer.append(batch)
            all += batch
        }
    }

    /// The scenario "Mixed" is only in batches of two sessions, which have no summary.
    private static func scenarios(_ number: UInt64, _ isMixed: Bool) -> [String?] {
        isMixed ? ["Mixed", "Net"] : ["Net", "File", nil, "S\(number / 200)"]
    }

    /// A deletion by a viewer.
    mutating func delete(_ filter: TelemetryEventFilter) async throws {
        try await writer.deleteEvents(matching: filter)
        all.removeAll { filter.matches($0) }
    }

    var journal: URL { directory.appending(path: "journal") }

    var indexes: [URL] {
        get throws {
            try FileManager.default.contentsOfDirectory(at: journal, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "index" }.sorted { $0.path < $1.path }
        }
    }

    static var filters: [TelemetryEventFilter] {
        let late = start + 4_000
        return [
            .all, .init(clientId: "c1"), .init(clientId: "nobody"), .init(sessionId: "s2"), .init(sessionId: "s2b"),
            .init(scenarios: ["Net"]), .init(scenarios: ["S2", "S3"]), .init(scenarios: ["Mixed"]), .init(scenarios: []),
            .init(levels: [.diagnostic]),
            .init(names: ["n1"]), .init(since: late), .init(until: start), .init(since: start + 700, until: start + 1_900),
            .init(clientId: "c0", scenarios: ["File"], levels: [.info], since: start + 100, until: late),
            .init(clientId: "c2", names: ["n0"], since: start + 1_000),
        ]
    }

    /// Some of them, which use every part of an index.
    static var fewFilters: [TelemetryEventFilter] {
        [.init(scenarios: ["Net"]), .init(clientId: "c0", since: start + 200)]
    }

    /// Compares every way to read with the events that were stored.
    func check(
        _ comment: Comment? = nil, _ filters: [TelemetryEventFilter] = IndexedStore.filters,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reader = try FileTelemetryTransport(directory: directory, configuration: Self.configuration)
        for filter in filters {
            let expected = all.filter(filter.matches)
            for limit in [7, 100_000] {
                #expect(try await reader.forwards(filter, limit) == expected, comment, sourceLocation: sourceLocation)
                #expect(try await reader.backwards(filter, limit) == expected, comment, sourceLocation: sourceLocation)
            }
            #expect(try await reader.countEvents(matching: filter) == expected.count, comment, sourceLocation: sourceLocation)
            let counts = try await reader.eventCounts(matching: filter)
            let plain = InMemoryTelemetryTransport()
            try await plain.append(expected)
            let wanted = try await plain.eventCounts()
            #expect(Set(counts) == Set(wanted), comment, sourceLocation: sourceLocation)
            #expect(counts.count == wanted.count, comment, sourceLocation: sourceLocation)
            for query in try Self.queries {
                let result = try await reader.result(of: query, matching: filter, now: Self.start + 2_000)
                let wanted = try query.result(over: expected, now: Self.start + 2_000)
                #expect(result == wanted, "\(comment ?? ""), \(query)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Most of them are answered by summaries.
    static var queries: [TelemetryQuery] {
        get throws {
            let times = [700, 1_900].map { (start + $0).formatted(.iso8601) }
            return try [
                "| stats count()", "| top scenario, level", "| stats count(scenario), count(client) by client, session",
                "| stats count() by time:1h, scenario", "| stats count() by time:5m", "client:=c1 | top scenario",
                "session:in(s2, s2b) -level:=info | stats count() by time:1d", "time:20m | stats count() by scenario",
                "time:>=\(times[0]) time:<\(times[1]) | top client", "scenario:=Net or -scenario:* | stats count()",
                "scenario:in(S1, Mixed) level:=diagnostic", "client:=c0 client:=c1", "-client:* session:=s3 | limit 3",
                "severity:>=info | top scenario", "name:=n1 time:<=\(times[1]) | stats count()",
            ].map { try TelemetryQuery($0) }
        }
    }

    /// Expects that some events are lost, and that every way to read returns all others.
    func checkLoss(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let reader = try FileTelemetryTransport(directory: directory, configuration: Self.configuration)
        let left = try await reader.fetchAllEvents()
        #expect(left.count < all.count, sourceLocation: sourceLocation)
        for filter in Self.filters {
            let expected = left.filter(filter.matches)
            #expect(try await reader.forwards(filter, 50) == expected, sourceLocation: sourceLocation)
            #expect(try await reader.backwards(filter, 50) == expected, sourceLocation: sourceLocation)
        }
    }
}

extension TelemetryEventTransport {
    func forwards(_ filter: TelemetryEventFilter, _ limit: Int) async throws -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var cursor: TelemetryCursor?
        while true {
            let page = try await events(matching: filter, after: cursor, limit: limit)
            found += page.events
            cursor = page.cursor
            guard page.hasMore else { return found }
        }
    }

    func backwards(_ filter: TelemetryEventFilter, _ limit: Int) async throws -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        var cursor: TelemetryCursor?
        while true {
            let page = try await events(matching: filter, before: cursor, limit: limit)
            found = page.events + found
            cursor = page.start
            guard page.hasMore else { return found }
        }
    }
}

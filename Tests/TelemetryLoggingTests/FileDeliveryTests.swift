import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Batches that a logger passes to a file store without converting them.
struct FileDeliveryTests {
    let directory = TemporaryDirectory()

    func store(_ name: String, maximumEventBytes: Int = 1 << 20) throws -> FileTelemetryTransport {
        try FileTelemetryTransport(directory: directory.url(of: name), configuration: .init(maximumEventBytes: maximumEventBytes))
    }

    func logger(
        _ transport: FileTelemetryTransport, recorded: Set<String> = [],
        now: @escaping @Sendable () -> Date = { TelemetryFixtures.date }
    ) async -> TelemetryLogger {
        let logger = TelemetryLogger(transport: transport, clock: ManualClock(), now: now)
        await logger.setRecordedScenarios(recorded, level: .diagnostic)
        await logger.setClientIdentifier("client")
        await logger.updateScenarios(["on": .init(isEnabled: true, level: .diagnostic)])
        await logger.activate(enabled: true)
        return logger
    }

    func events(of store: FileTelemetryTransport) async throws -> [TelemetryEvent] {
        try await store.events(matching: .all, after: nil, limit: .max).events
    }

    /// Notes in which form each batch arrives.
    final class FormTransport: AppendOnlyTransport {
        let encoded = Mutex<[Bool]>([])

        func append(_ batch: TelemetryEventBatch) async throws { encoded.withLock { $0.append(batch.encoded != nil) } }
        func append(_ events: [TelemetryEvent]) async throws { encoded.withLock { $0.append(false) } }
    }

    @Test("A transport gets the batches of the current session unconverted")
    func form() async throws {
        let transport = FormTransport()
        let logger = TelemetryLogger(transport: transport, clock: ManualClock())
        await logger.activate(enabled: true)
        logger.logEvent(name: "event")
        await logger.shutdown()
        #expect(transport.encoded.withLock(\.self) == [true])
    }

    @Test("Its counts are those of a store that got the same events converted")
    func counts() async throws {
        let (first, second) = try (store("first"), store("second"))
        let wall = RecorderWall()
        let logger = await logger(first, now: { wall.date })
        for index in 0..<1_000 {
            wall.seconds = Double(index) * 31.7
            switch index % 4 {
            case 0: logger.logEvent(name: "plain")
            case 1: logger.logEvent(name: "detail", scenario: "on", level: .diagnostic)
            default: logger.logEvent(name: "event", scenario: "on", property1: "\(index)")
            }
        }
        await logger.shutdown()
        let events = try await events(of: first)
        #expect(events.count == 1_000)
        try await second.append(events)
        let counts = try await [first.eventCounts(), second.eventCounts()]
        #expect(Set(counts[0]) == Set(counts[1]))
        #expect(counts[0].reduce(0) { $0 + $1.count } == 1_000)
        #expect(counts[0].count > 20)
    }

    @Test("A rejected event is dropped and reported; the other events of its batch are stored")
    func rejected() async throws {
        let store = try store("store", maximumEventBytes: 2_000)
        let logger = await logger(store)
        for index in 1...9 {
            logger.logEvent(name: "\(index)", property1: index == 4 ? String(repeating: "x", count: 3_000) : nil)
        }
        await logger.flush()
        let names = try await events(of: store).map(\.name)
        #expect(names == ["1", "2", "3", "5", "6", "7", "8", "9", "telemetry.dropped"])
        #expect(logger.statistics.dropped == [.rejected: 1])
        await logger.shutdown()
    }

    @Test("Attributes of all kinds are stored as they were logged, few or many")
    func attributes() async throws {
        let store = try store("store")
        let logger = await logger(store)
        let few: [String: TelemetryValue] = [
            "text": "\"quoted\"\u{1}\nline", "größe": "👩‍👩‍👧", "empty": "", "": "no name", "least": .int(.min), "most": .int(.max),
            "double": -1.5, "tiny": .double(.leastNonzeroMagnitude), "true": true, "false": false,
            "date": .date(TelemetryFixtures.date),
        ]
        let many = Dictionary(uniqueKeysWithValues: (1...100).map { ("key \($0)", TelemetryValue.string("value \($0)")) })
        let all = [few, [:], many, ["one": 1]]
        for attributes in all { logger.logEvent(name: "event", scenario: "on", attributes: attributes) }
        await logger.flush()
        #expect(try await events(of: store).map(\.attributes) == all)
        await logger.shutdown()
    }

    @Test("Captured events keep their identifiers and attributes, and are stored once")
    func captured() async throws {
        let store = try store("store")
        let logger = await logger(store, recorded: ["recorded"])
        for index in 1...3 {
            logger.logEvent(name: "\(index)", scenario: "recorded", attributes: ["index": .int(Int64(index))])
        }
        #expect(await logger.dumpRecorded("recorded", lookback: nil) == 3)
        logger.logEvent(name: "after", scenario: "on")
        await logger.flush()
        let events = try await events(of: store)
        #expect(events.map(\.name) == ["1", "2", "3", "after"])
        #expect(events.map(\.attributes) == (1...3).map { ["index": .int($0), "telemetry.captured": true] } + [[:]])
        #expect(events.prefix(3).allSatisfy { $0.eventId.hasPrefix("recorded-") && $0.scenario == "recorded" })
        #expect(Set(events.map(\.eventId)).count == 4)
        #expect(events[3].eventId == "\(logger.currentSessionId)-4")
        // The store knows them by the identifiers that its lines have.
        try await store.append(events)
        #expect(try await store.countEvents(matching: .all) == 4)
        await logger.shutdown()
    }

    @Test("Each batch has one client, even if the client changes while events wait")
    func clients() async throws {
        let store = try store("store")
        let logger = await logger(store)
        for client in [nil, "A", "B", "A"] as [String?] {
            await logger.setClientIdentifier(client)
            for _ in 1...3 { logger.logEvent(name: client ?? "none") }
        }
        await logger.flush()
        let events = try await events(of: store)
        #expect(events.map(\.sequence) == Array(1...12))
        #expect(events.allSatisfy { $0.name == $0.clientId ?? "none" })
        await logger.shutdown()
    }
}

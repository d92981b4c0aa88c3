#if DEBUG
import Foundation
import TelemetryDebugLogging
import TelemetryModels
import TelemetryTransport
import Testing

struct DebugLogEntryTests {
    private static func entry(
        level: DebugLogEntry.Level = .info, timestamp: Date = Date(timeIntervalSince1970: 1_764_000_000.123),
        payload: [String: DebugLogEntry.Value] = [:], deviceId: UUID? = UUID()
    ) -> DebugLogEntry {
        DebugLogEntry(
            timestamp: timestamp, source: .ios, level: level, event: "cart.opened", payload: payload, deviceId: deviceId,
            sessionId: UUID())
    }

    @Test("An entry is encoded with its snake_case keys, whatever the encoder's settings")
    func keys() throws {
        let entry = Self.entry(payload: ["items": 3])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let object = try #require(try JSONSerialization.jsonObject(with: encoder.encode(entry)) as? [String: Any])
        #expect(
            object.keys.sorted() == [
                "correlation_id", "device_id", "event", "id", "level", "payload", "session_id", "source", "timestamp",
            ])
        #expect(object["correlation_id"] as? String == entry.correlationId.uuidString)
        #expect(object["timestamp"] as? String == "2025-11-24T16:00:00.123Z")
        #expect(object["level"] as? String == "info")
        #expect(object["source"] as? String == "ios")
    }

    @Test("An entry is read back unchanged", arguments: DebugLogEntry.Level.allCases)
    func roundTrip(level: DebugLogEntry.Level) throws {
        let payload: [String: DebugLogEntry.Value] = [
            "null": nil, "yes": true, "list": [1, 2.5, "three", [nil]], "object": ["é": ["deep": -0.1]],
        ]
        let entry = Self.entry(level: level, payload: payload, deviceId: level == .debug ? nil : UUID())
        #expect(try JSONDecoder().decode(DebugLogEntry.self, from: JSONEncoder().encode(entry)) == entry)
    }

    @Test(
        "A date is read back exactly",
        arguments: [1_764_000_000.123, 1_764_000_000.123456, 0, -1, 1_764_000_000.9999999, 4_102_444_800])
    func exactDates(seconds: Double) throws {
        let entry = Self.entry(timestamp: Date(timeIntervalSince1970: seconds))
        #expect(try JSONDecoder().decode(DebugLogEntry.self, from: JSONEncoder().encode(entry)).timestamp == entry.timestamp)
        #expect(DebugLogEntry.Value.date(entry.timestamp).dateValue == entry.timestamp)
    }

    @Test(
        "An entry with an impossible date is still sent",
        arguments: [(1e14, "9999-"), (Double.infinity, "9999-"), (-1e14, "0001-"), (.nan, "0001-")])
    func impossibleDates(seconds: Double, year: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let text = String(decoding: try JSONEncoder().encode(Self.entry(timestamp: date)), as: UTF8.self)
        #expect(text.contains(#""timestamp":"\#(year)"#))
    }

    @Test(
        "Data that is not an entry is refused",
        arguments: [
            #"{}"#,
            #"{"id":"1","correlation_id":"1","timestamp":"now","source":"ios","level":"info","event":"e","session_id":"1"}"#,
            #"""
            {"id":"00000000-0000-0000-0000-000000000001","correlation_id":"00000000-0000-0000-0000-000000000002",
             "timestamp":"yesterday","source":"ios","level":"info","event":"e",
             "session_id":"00000000-0000-0000-0000-000000000003"}
            """#,
        ])
    func refused(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(DebugLogEntry.self, from: Data(json.utf8)) }
    }

    @Test("Levels are ordered by severity")
    func levels() {
        #expect(DebugLogEntry.Level.allCases.shuffled().sorted() == [.debug, .info, .warn, .error])
    }

    @Test("An event made from an entry keeps its identity, date and contents")
    func event() async throws {
        let entry = Self.entry(
            level: .warn, payload: ["items": 3, "total": 9.5, "gift": true, "to": "Ann", "none": nil, "tags": ["b", 1]])
        let event = entry.telemetryEvent(sessionId: "session", clientId: "client", scenario: "Checkout")
        #expect(event.eventId == entry.id.uuidString)
        #expect(event.sessionId == "session")
        #expect(event.clientId == "client")
        #expect(event.scenario == "Checkout")
        #expect(event.timestamp == entry.timestamp)
        #expect(event.name == "cart.opened")
        #expect(event.property1 == entry.correlationId.uuidString)
        #expect(event.level == .info)
        #expect(Self.entry(level: .debug).telemetryEvent().level == .diagnostic)
        #expect(
            event.attributes == [
                "items": 3, "total": 9.5, "gift": true, "to": "Ann", "tags": #"["b",1]"#,
                "debug.level": "warn", "debug.source": "ios",
                "debug.correlation_id": .string(entry.correlationId.uuidString),
                "debug.device_id": .string(try #require(entry.deviceId).uuidString),
            ])
    }

    @Test("Entries that are sent twice to a transport are stored once")
    func transport() async throws {
        let transport = InMemoryTelemetryTransport()
        let shipper = DebugLogEventShipper(sessionId: "session") { try await transport.append($0) }
        let entries = [Self.entry(), Self.entry()]
        #expect(await shipper.ship(entries) == .stored)
        #expect(await shipper.ship(entries) == .stored)
        #expect(try await transport.fetchAllEvents().map(\.eventId) == entries.map(\.id.uuidString))
    }
}
#endif

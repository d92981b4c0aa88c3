import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryHTTP

struct EventBatchEncoderTests {
    private static let device = TelemetryDeviceInfo(
        deviceType: "Linux", deviceName: "web-01", deviceModel: "x86_64",
        osVersion: "Debian GNU/Linux 12 (bookworm), kernel 6.1.0-28-amd64", appVersion: "checkout-service")

    /// The events of about one second: several threads, scenarios and names, some with a text.
    private static func batch(_ count: Int, attributes: [String: TelemetryValue] = [:]) -> [TelemetryEvent] {
        let session = "0f3k9q2m7z8x1c5v4b6n0a9s8d"
        let names = ["cart.opened", "item.added", "cart.paid"]
        return (1...count).map { (index: Int) -> TelemetryEvent in
            let sequence = UInt64(index)
            let text: String? = index % 4 == 0 ? "\(index) items" : nil
            return TelemetryEvent(
                eventId: EventIdentifier.make(sessionId: session, sequence: sequence), clientId: "k7m2pqx9ab",
                sessionId: session, sequence: sequence, name: names[index % 3],
                timestamp: TelemetryFixtures.date.addingTimeInterval(Double(index) / 1_000), device: device,
                threadId: index % 5 == 0 ? "4712" : "4711", property1: text, attributes: attributes, scenario: "Checkout",
                level: index % 7 == 0 ? .diagnostic : .info)
        }
    }

    private static func encode(_ events: [TelemetryEvent], maximumBytes: Int = 4 << 20) throws -> EventBatchEncoder.Batch {
        var encoder = EventBatchEncoder()
        return try encoder.encode(events[...], maximumBytes: maximumBytes)
    }

    /// A body as a relay reads it: each event with its missing fields taken from the context.
    private static func expanded(_ body: Data) throws -> [TelemetryEvent] {
        let batch = try object(body)
        let context = batch["context"] as? [String: Any] ?? [:]
        let events = try #require(batch["events"] as? [[String: Any]])
        let whole = try JSONSerialization.data(
            withJSONObject: ["events": events.map { context.merging($0) { $1 } }, "cursor": "c", "hasMore": false])
        return try #require(TelemetryEventPage(relayBody: whole)).events
    }

    @Test("A batch of 50 has at most 0.35 of the bytes of the same events as plain objects")
    func isSmall() throws {
        let events = Self.batch(50)
        let plain = try JSONEncoder().encode(events).count
        let sent = try Self.encode(events).body.count
        #expect(Double(sent) <= 0.35 * Double(plain), "\(sent) of \(plain) bytes, \(Double(sent) / Double(plain))")
    }

    @Test("A relay reads the events that were encoded, whatever they have in common")
    func isLossless() throws {
        let text = "\u{0}\n\r\t\"\\/ {}[],: déjà 👩‍👩‍👧 \u{2028}\u{10ffff}"
        var mixed = Self.batch(10)
        mixed.append(
            TelemetryEvent(
                eventId: text, clientId: nil, sessionId: "", name: "", timestamp: TelemetryFixtures.date,
                device: TelemetryDeviceInfo(
                    deviceType: "", deviceName: text, deviceModel: "x86_64", osVersion: "", appVersion: ""),
                threadId: "", property1: "", scenario: ""))
        mixed.append(
            TelemetryEvent(
                eventId: "b", clientId: "cafe\u{301}", sessionId: "other", sequence: UInt64(Int64.max), name: text,
                timestamp: TelemetryFixtures.date.addingTimeInterval(0.123_456_7), device: Self.device, threadId: "4711",
                attributes: [text: .string(text), "flag": true, "one": 1, "text": "x"], level: .diagnostic))
        for events in [mixed, Self.batch(1), Self.batch(2), [mixed[10], mixed[11]], [mixed[11]]] {
            #expect(try Self.expanded(Self.encode(events).body) == events)
        }
        let spelled = try Self.expanded(Self.encode([mixed[11], mixed[11]]).body)
        #expect(spelled.first?.clientId.map { Array($0.utf8) } == Array("cafe\u{301}".utf8), "spellings are kept")
    }

    @Test("Fields that all events share are sent once; a field that one event lacks is not shared")
    func hoists() throws {
        var events = Self.batch(20)
        let context = try #require(try object(Self.encode(events).body)["context"] as? [String: Any])
        #expect(context["scenario"] as? String == "Checkout")
        #expect(context["threadId"] as? String == "4711")
        #expect(context["property1"] == nil)
        events[3] = TelemetryEvent(eventId: "without", clientId: nil, sessionId: "s", name: "n")
        let other = try #require(try object(Self.encode(events).body)["context"] as? [String: Any])
        #expect(other["scenario"] == nil)
        #expect(other["clientid"] == nil)
    }

    static let values: [(TelemetryValue, String)] = [
        (.double(2), "2.0"), (.double(-0.0), "-0.0"), (.double(0.1), "0.1"), (.double(1e300), "1e+300"),
        (.double(.nan), #"{"double":"nan"}"#), (.double(.infinity), #"{"double":"inf"}"#),
        (.double(-.infinity), #"{"double":"-inf"}"#), (.int(.min), "-9223372036854775808"), (.bool(true), "true"),
        (.date(Date(timeIntervalSince1970: 1_795_248_000.123_456_7)), #"{"date":"2026-11-21T08:00:00.123456717Z"}"#),
        (.date(Date(timeIntervalSince1970: 1_795_248_000)), #"{"date":"2026-11-21T08:00:00.000Z"}"#),
        (.string("a\"b"), #""a\"b""#),
    ]

    @Test("Values are written in the relay's format and read back unchanged", arguments: values)
    func writesValues(_ value: TelemetryValue, _ text: String) throws {
        let buffer = ByteBuffer()
        #expect(buffer.append(wire: value))
        #expect(String(decoding: Data(buffer.bytes), as: UTF8.self) == text)
        var read: TelemetryValue?
        #expect(
            Data(buffer.bytes).withScanner { scanner in
                read = scanner.wireValue()
                return read != nil
            })
        if case .double(let number) = value, number.isNaN {
            #expect(read?.doubleValue?.isNaN == true)
        } else {
            #expect(read == value)
        }
    }

    @Test(
        "A number is an integer only without fraction and exponent",
        arguments: [
            ("1", TelemetryValue.int(1)), ("1.0", .double(1)), ("1e0", .double(1)), ("-7E2", .double(-700)),
            ("9223372036854775808", .double(0x1p63)), (#"{"double":2}"#, .double(2)),
            (#"{"double":"inf","x":1}"#, .double(.infinity)),
        ])
    func readsNumbers(_ text: String, _ expected: TelemetryValue) {
        var read: TelemetryValue?
        #expect(
            Data(text.utf8).withScanner { scanner in
                read = scanner.wireValue()
                return read != nil
            })
        #expect(read == expected)
    }

    @Test("A body stays within the limit, except that a single event is sent whatever its size")
    func keepsToTheLimit() throws {
        let events = Self.batch(50)
        let batch = try Self.encode(events, maximumBytes: 2_000)
        #expect(batch.body.count <= 2_000)
        #expect((2..<50).contains(batch.count))
        #expect(try Self.expanded(batch.body) == Array(events[..<batch.count]))
        #expect(try Self.encode(events, maximumBytes: 10).count == 1)
    }

    @Test("A date outside the years 1 to 9999 is refused before a request")
    func refusesDates() {
        for event in [
            TelemetryEvent(eventId: "e", sessionId: "s", name: "n", timestamp: .distantPast.addingTimeInterval(-1e11)),
            TelemetryEvent(
                eventId: "e", sessionId: "s", name: "n", attributes: ["a": .date(Date(timeIntervalSince1970: 1e12))]),
        ] {
            let error = #expect(throws: TelemetryTransportError.self) { try Self.encode([event]) }
            #expect(error?.code == .invalidArgument)
        }
    }

    static let queries: [(TelemetryEventFilter, [String], Bool)] = [
        (.all, [], false),
        (.init(clientId: "", sessionId: "a b"), ["client=", "session=a b"], false),
        (
            .init(scenarios: ["b", "a"], levels: [.diagnostic, .info], names: ["n"]),
            ["scenario=a", "scenario=b", "level=info", "level=diagnostic", "name=n"], false
        ),
        (.init(scenarios: []), [], true), (.init(levels: []), [], true), (.init(names: []), [], true),
        (
            .init(since: Date(timeIntervalSince1970: 0), until: Date(timeIntervalSince1970: 0.5)),
            ["since=1970-01-01T00:00:00.000Z", "until=1970-01-01T00:00:00.500Z"], false
        ),
        (.init(since: Date(timeIntervalSince1970: -1e13)), [], false),
        (.init(since: Date(timeIntervalSince1970: 1e13)), [], true),
        (.init(until: Date(timeIntervalSince1970: 1e13)), [], false),
        (.init(until: Date(timeIntervalSince1970: -1e13)), [], true),
        (.init(since: Date(timeIntervalSinceReferenceDate: .nan)), [], false),
    ]

    @Test("A filter becomes query parameters, unless it can match nothing", arguments: queries.indices)
    func writesQueries(_ index: Int) throws {
        let (filter, items, matchesNothing) = Self.queries[index]
        let query = try EventQueryItems(filter)
        #expect(query.items.map { "\($0.name)=\($0.value)" } == items)
        #expect(query.matchesNothing == matchesNothing)
    }
}

import Foundation
import TelemetryModels
import TelemetryOTLP
import Testing

struct EncoderTests {
    @Test("Every field of an event is in its record or its resource")
    func wholeEvent() throws {
        let request = try DecodedRequest(
            .sample(3, timestamp: Date(timeIntervalSince1970: 1_763_712_000.123), text: "42 €", scenario: "Checkout"))
        let resource = try #require(request.resources.first)
        #expect(
            resource.attributes == [
                "service.name": "stringValue:shop", "service.version": "stringValue:2.4",
                "service.instance.id": "stringValue:k7wq", "device.model.identifier": "stringValue:x86_64",
                "host.name": "stringValue:web-1", "os.name": "stringValue:Linux", "os.version": "stringValue:6.1",
            ])
        let record = try request.record
        #expect(
            record.fields == [
                "timeUnixNano": "1763712000123000000", "severityNumber": "9", "severityText": "info", "eventName": "paid",
                "body": "42 €",
            ])
        #expect(
            record.attributes == [
                "log.record.uid": "stringValue:e3", "session.id": "stringValue:s1", "thread.id": "intValue:7",
                "livetelemetry.sequence": "intValue:3", "livetelemetry.level": "stringValue:info",
                "livetelemetry.scenario": "stringValue:Checkout",
            ])
    }

    @Test("What an event does not have is left out")
    func missing() throws {
        let device = TelemetryDeviceInfo(deviceType: "", deviceName: "", deviceModel: "", osVersion: "", appVersion: "")
        let request = try DecodedRequest(.sample(client: nil, device: device, thread: "main"))
        #expect(request.resources.first?.attributes == ["service.name": "stringValue:shop"])
        let record = try request.record
        #expect(record.fields["body"] == nil)
        #expect(record.attributes["thread.id"] == nil)
        #expect(record.attributes["livetelemetry.scenario"] == nil)
    }

    @Test("Attributes keep their types")
    func attributes() throws {
        let record = try DecodedRequest(
            .sample(attributes: [
                "text": "a", "int": .int(.max), "negative": .int(.min), "double": 0.1, "nan": .double(.nan),
                "infinity": .double(.infinity), "-infinity": .double(-.infinity), "small": .double(1e-300), "flag": true,
                "date": .date(Date(timeIntervalSince1970: 1_763_712_000.5)),
            ])
        ).record
        let own = ["log.record.uid", "session.id", "thread.id", "livetelemetry.sequence", "livetelemetry.level"]
        #expect(
            record.attributes.filter { !own.contains($0.key) } == [
                "text": "stringValue:a", "int": "intValue:9223372036854775807", "negative": "intValue:-9223372036854775808",
                "double": "doubleValue:0.1", "nan": "doubleValue:NaN", "infinity": "doubleValue:Infinity",
                "-infinity": "doubleValue:-Infinity", "small": "doubleValue:1e-300", "flag": "boolValue:\(true as NSNumber)",
                "date": "stringValue:2025-11-21T08:00:00.500Z",
            ])
    }

    @Test("Every character of a text is preserved, on one line")
    func texts() throws {
        let text = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init))) + "\u{10FFFF}👩‍🚀\"\\"
        let event = TelemetryEvent.sample(name: text, text: text, attributes: [text: .string(text)])
        let json = TelemetryOTLPEncoder().encode([event])
        #expect(!json.contains(0x0A))
        let record = try DecodedRequest(Data(json)).record
        #expect(record.fields["body"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        #expect(record.attributes[text]?.unicodeScalars.elementsEqual("stringValue:\(text)".unicodeScalars) == true)
    }

    static let severities: [(TelemetryLogLevel, [String: TelemetryValue], String, String)] = [
        (.info, [:], "9", "info"), (.diagnostic, [:], "5", "diagnostic"), (.diagnostic, ["level": "trace"], "1", "trace"),
        (.info, ["level": "notice"], "10", "notice"), (.info, ["level": "Warning"], "13", "Warning"),
        (.info, ["level": "error"], "17", "error"), (.info, ["level": "critical"], "21", "critical"),
        (.info, ["severity": "error", "level": "info"], "17", "error"), (.info, ["level": "loud"], "9", "info"),
        (.info, ["level": 3], "9", "info"),
    ]

    @Test("The severity is that of swift-log's level, or of the event's level", arguments: severities)
    func severity(level: TelemetryLogLevel, attributes: [String: TelemetryValue], number: String, text: String) throws {
        let record = try DecodedRequest(.sample(attributes: attributes, level: level)).record
        #expect(record.fields["severityNumber"] == number)
        #expect(record.fields["severityText"] == text)
        #expect(record.attributes["livetelemetry.level"] == "stringValue:\(level.rawValue)")
    }

    private static let trace = "4BF92F3577B34DA6A3CE929D0E0E4736"
    private static let span = "00f067aa0ba902b7"

    @Test("Trace and span identifiers become the record's, in lower case")
    func traceContext() throws {
        let record = try DecodedRequest(
            .sample(attributes: ["trace_id": .string(Self.trace), "span_id": .string(Self.span)])
        ).record
        #expect(record.fields["traceId"] == Self.trace.lowercased())
        #expect(record.fields["spanId"] == Self.span)
        #expect(record.attributes["trace_id"] == nil)
        #expect(record.attributes["span_id"] == nil)
    }

    static let invalidTraces: [[String: TelemetryValue]] = [
        ["trace_id": "xyz"], ["trace_id": .string(String(repeating: "0", count: 32))], ["trace_id": 7],
        ["span_id": .string(span)], ["trace_id": .string(trace + "0"), "span_id": .string(span)],
    ]

    @Test("Invalid identifiers, and a span without a trace, stay attributes", arguments: invalidTraces)
    func invalidTraceContext(attributes: [String: TelemetryValue]) throws {
        let record = try DecodedRequest(.sample(attributes: attributes)).record
        #expect(record.fields["traceId"] == nil)
        #expect(record.fields["spanId"] == nil)
        #expect(attributes.keys.allSatisfy { record.attributes[$0] != nil })
    }

    @Test("Attributes with reserved names get a prefix")
    func reservedNames() throws {
        let record = try DecodedRequest(
            .sample(attributes: ["session.id": "mine", "livetelemetry.level": "mine", "thread.id": "mine"])
        ).record
        #expect(record.attributes["session.id"] == "stringValue:s1")
        #expect(record.attributes["livetelemetry.attribute.session.id"] == "stringValue:mine")
        #expect(record.attributes["livetelemetry.attribute.livetelemetry.level"] == "stringValue:mine")
        #expect(record.attributes["livetelemetry.attribute.thread.id"] == "stringValue:mine")
    }

    /// Seconds since 1970; some dates are too far away to be described.
    static let dates: [(TimeInterval, String)] = [
        (0, "0"), (-1, "0"), (-1e18, "0"), (0.999_999_9, "1000000000"), (1e18, "\(UInt64.max)"),
        (.infinity, "\(UInt64.max)"), (-.infinity, "0"), (.nan, "0"), (1_763_712_000.000_001, "1763712000000001000"),
    ]

    @Test(
        "Dates are nanoseconds since 1970, rounded to microseconds; what cannot be represented is 0 or the maximum",
        arguments: dates)
    func timestamps(seconds: TimeInterval, nanoseconds: String) throws {
        let event = TelemetryEvent.sample(timestamp: Date(timeIntervalSince1970: seconds))
        #expect(try DecodedRequest(event).record.fields["timeUnixNano"] == nanoseconds)
    }

    @Test("Events of one source share a resource, in order, even if sources alternate")
    func resources() throws {
        let other = TelemetryDeviceInfo(
            deviceType: "iOS", deviceName: "phone", deviceModel: "iPhone", osVersion: "26", appVersion: "2.5")
        let request = try DecodedRequest(
            .sample(1), .sample(2, client: "other"), .sample(3), .sample(4, device: other), .sample(5, client: "other"))
        #expect(
            request.resources.map { $0.records.map { $0.attributes["livetelemetry.sequence"] } } == [
                ["intValue:1", "intValue:3"], ["intValue:2", "intValue:5"], ["intValue:4"],
            ])
    }

    @Test("No events are a request without resources")
    func noEvents() {
        #expect(String(decoding: TelemetryOTLPEncoder().encode([]), as: UTF8.self) == "{\"resourceLogs\":[]}")
    }
}

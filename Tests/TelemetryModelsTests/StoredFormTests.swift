import Foundation
import TelemetryModels
import Testing

/// Later versions and programs in other languages read the stored forms: these strings must not change.
struct StoredFormTests {
    private let date = Date(timeIntervalSince1970: 1_795_248_000.123)

    @Test(
        "A value's stored form",
        arguments: [
            (.string("x\"/\n"), #""x\"/\n""#), (.string(""), #""""#),
            (.int(0), "0"), (.int(.max), "9223372036854775807"), (.int(.min), "-9223372036854775808"),
            (.bool(true), "true"), (.bool(false), "false"),
            (.double(0.5), "0.5"), (.double(2), #"{"double":2}"#), (.double(0), #"{"double":0}"#),
            (.double(-0.0), #"{"double":"-0.0"}"#), (.double(.infinity), #"{"double":"inf"}"#),
            (.double(-.infinity), #"{"double":"-inf"}"#),
            (.date(Date(timeIntervalSince1970: 0)), #"{"date":"1970-01-01T00:00:00.000Z"}"#),
            (.date(Date(timeIntervalSince1970: 1_795_248_000.123)), #"{"date":"2026-11-21T08:00:00.123Z"}"#),
        ] as [(TelemetryValue, String)])
    func value(value: TelemetryValue, text: String) throws {
        #expect(try json(value) == text)
        #expect(try fromJSON(text) == value)
    }

    @Test("NaN is kept, although it is not equal to itself")
    func notANumber() throws {
        #expect(try json(TelemetryValue.double(.nan)) == #"{"double":"nan"}"#)
        guard case .double(let value) = try fromJSON(#"{"double":"nan"}"#, as: TelemetryValue.self) else {
            Issue.record("not a double")
            return
        }
        #expect(value.isNaN)
    }

    @Test(
        "A text that is not a value is refused",
        arguments: ["null", "[]", "{}", #"{"date":"yesterday"}"#, #"{"double":"much"}"#, #"{"date":1}"#])
    func noValue(text: String) {
        #expect(throws: DecodingError.self) { try fromJSON(text, as: TelemetryValue.self) }
    }

    @Test("A date without a stored form is refused, and nothing is written in its place")
    func noDate() {
        for date in [Date(timeIntervalSince1970: 1e12), Date(timeIntervalSince1970: -1e11), Date(timeIntervalSince1970: .nan)] {
            #expect(throws: EncodingError.self) { try json(TelemetryValue.date(date)) }
        }
    }

    @Test("A record's stored form")
    func record() throws {
        var record = TelemetryRecord(recordType: "TelemetryClient", recordID: "client-k7m2")
        record["clientid"] = "k7m2"
        record["created"] = .date(date)
        record["isEnabled"] = true
        let unsaved =
            #"{"fields":{"clientid":"k7m2","created":{"date":"2026-11-21T08:00:00.123Z"},"isEnabled":true},"#
            + #""recordName":"client-k7m2","recordType":"TelemetryClient"}"#
        #expect(try json(record) == unsaved)
        #expect(try fromJSON(unsaved) == record)
        record.changeTag = "3"
        #expect(try json(record) == #"{"changeTag":"3","# + unsaved.dropFirst())
    }

    @Test("An event's stored form")
    func event() throws {
        let device = TelemetryDeviceInfo(
            deviceType: "iOS", deviceName: "Ada's iPhone", deviceModel: "iPhone17,1", osVersion: "26.1.0", appVersion: "2.4 (118)"
        )
        let full = TelemetryEvent(
            eventId: "s-7", clientId: "k7m2", sessionId: "s", sequence: 7, name: "cart.opened", timestamp: date, device: device,
            threadId: "259", property1: "3 items", attributes: ["total": 12.5, "items": 3], scenario: "Checkout",
            level: .diagnostic)
        let fullText =
            #"{"appVersion":"2.4 (118)","attributes":{"items":3,"total":12.5},"clientid":"k7m2","deviceModel":"iPhone17,1","#
            + #""deviceName":"Ada's iPhone","deviceType":"iOS","eventId":"s-7","eventName":"cart.opened","#
            + #""eventTimestamp":"2026-11-21T08:00:00.123Z","logLevel":"diagnostic","osVersion":"26.1.0","property1":"3 items","#
            + #""scenario":"Checkout","sequence":7,"sessionId":"s","threadId":"259"}"#
        #expect(try json(full) == fullText)
        #expect(try fromJSON(fullText) == full)

        let bare = TelemetryEvent(
            eventId: "s-8", sessionId: "s", name: "x", timestamp: date, device: device, threadId: "259")
        let bareText =
            #"{"appVersion":"2.4 (118)","deviceModel":"iPhone17,1","deviceName":"Ada's iPhone","deviceType":"iOS","#
            + #""eventId":"s-8","eventName":"x","eventTimestamp":"2026-11-21T08:00:00.123Z","logLevel":"info","#
            + #""osVersion":"26.1.0","sequence":0,"sessionId":"s","threadId":"259"}"#
        #expect(try json(bare) == bareText)
        #expect(try fromJSON(bareText) == bare)
    }

    @Test("An event with a level and a field of a later version is still read")
    func laterEvent() throws {
        let event: TelemetryEvent = try fromJSON(
            #"{"eventId":"1","eventName":"x","sessionId":"s","eventTimestamp":"2026-11-21T08:00:00Z","logLevel":"shout","new":[1]}"#
        )
        #expect(event.level == .info)
        #expect(event.timestamp == Date(timeIntervalSince1970: 1_795_248_000))
        #expect(event.device.deviceType == "" && event.threadId == "" && event.attributes.isEmpty && event.sequence == 0)
    }

    @Test(
        "An event that lacks a required field is refused",
        arguments: ["eventId", "eventName", "sessionId", "eventTimestamp"])
    func incompleteEvent(field: String) throws {
        var fields = ["eventId": "1", "eventName": "x", "sessionId": "s", "eventTimestamp": "2026-11-21T08:00:00Z"]
        let whole = try json(fields)
        #expect(throws: Never.self) { try fromJSON(whole, as: TelemetryEvent.self) }
        fields[field] = nil
        let text = try json(fields)
        #expect(throws: DecodingError.self) { try fromJSON(text, as: TelemetryEvent.self) }
    }

    @Test("Attributes in an event's record are JSON text with sorted keys")
    func attributes() throws {
        let event = TelemetryEvent(
            sessionId: "s", name: "x", attributes: ["b": 1, "a": .date(date), "c": .date(Date(timeIntervalSince1970: 1e12))])
        let text = #"{"a":{"date":"2026-11-21T08:00:00.123Z"},"b":1,"c":{"double":1000000000000}}"#
        #expect(event.toRecord()["attributes"] == .string(text))
        #expect(TelemetryEvent(sessionId: "s", name: "x").toRecord()["attributes"] == nil)
    }

    @Test("The settings' stored form")
    func settings() throws {
        let settings = TelemetrySettings(
            telemetryRequested: true, telemetrySendingEnabled: false, clientIdentifier: "k7m2")
        let text = #"{"clientIdentifier":"k7m2","telemetryRequested":true,"telemetrySendingEnabled":false}"#
        #expect(try json(settings) == text)
        #expect(try fromJSON(text) == settings)
        #expect(try json(TelemetrySettings.defaults) == #"{"telemetryRequested":false,"telemetrySendingEnabled":false}"#)
        #expect(try fromJSON("{}") == TelemetrySettings.defaults)
    }

    @Test("The settings are three fields, and each has a coding key")
    func everyFieldOfTheSettings() {
        let fields = Mirror(reflecting: TelemetrySettings()).children.compactMap(\.label)
        #expect(fields == ["telemetryRequested", "telemetrySendingEnabled", "clientIdentifier"])
        #expect(fields == TelemetrySettings.CodingKeys.allCases.map(\.rawValue))
    }
}

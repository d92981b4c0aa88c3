import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryHTTP

@Suite(.oneAtATime)
struct RelayRoutesTests {
    private static let record = #"{"recordType":"T","recordName":"a","changeTag":"7","fields":{"n":1}}"#

    private static var stored: TelemetryRecord {
        var record = TelemetryRecord(recordType: "T", recordID: "a")
        record.changeTag = "7"
        record["n"] = 1
        return record
    }

    @Test("A save sends policy, tags and fields in the relay's format, and returns the stored records")
    func saves() async throws {
        let server = try LoopbackServer(.answers(200, body: #"{"records":[\#(Self.record)]}"#))
        defer { server.stop() }
        var record = TelemetryRecord(recordType: "T", recordID: "a")
        record.changeTag = "6"
        record["share"] = .double(2)
        record["created"] = .date(TelemetryFixtures.date)
        record["flag"] = false
        #expect(try await Relay.transport(server).save([record], policy: .ifUnchanged) == [Self.stored])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/v1/records")
        #expect(request.header("Content-Type") == "application/json")
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(
            body.hasPrefix(#"{"policy":"ifUnchanged","records":[{"recordType":"T","recordName":"a","changeTag":"6","fields":{"#))
        for field in [#""share":2.0"#, #""created":{"date":"2026-11-21T08:00:00.000Z"}"#, #""flag":false"#] {
            #expect(body.contains(field))
        }
    }

    @Test("A record with the type of events is refused without a request")
    func savedEvent() async throws {
        let server = try LoopbackServer(.answers(200, body: #"{"records":[\#(Self.record)]}"#))
        defer { server.stop() }
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await Relay.transport(server).save(
                [TelemetryRecord(recordType: "TelemetryEvent", recordID: "a")], policy: .insert)
        }
        #expect(error?.code == .invalidArgument)
        #expect(server.requests.isEmpty)
    }

    @Test("More records than the relay's limit are saved in parts; a failure of a later part is a partial failure")
    func savesInParts() async throws {
        let server = try LoopbackServer { request in
            let records = (try? object(request.body)["records"]) as? [[String: Any]] ?? []
            let names = records.compactMap { $0["recordName"] as? String }
            if names.contains("r800") { return Relay.problem(503, "unavailable") }
            if names.contains("r400") {
                return Relay.problem(
                    409, "partialFailure",
                    #","saved":[],"failures":[{"recordName":"r401","code":"conflict","detail":"","record":\#(Self.record)}]"#)
            }
            let saved = names.map { #"{"recordType":"T","recordName":"\#($0)","changeTag":"1","fields":{}}"# }
            return .answers(200, body: #"{"records":[\#(saved.joined(separator: ","))]}"#)
        }
        defer { server.stop() }
        let records = (0..<900).map { TelemetryRecord(recordType: "T", recordID: .init(recordName: "r\($0)")) }
        let transport = Relay.transport(server)
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await transport.save(records, policy: .insert)
        }
        #expect(error?.code == .partialFailure)
        #expect(error?.failures["r401"]?.code == .conflict)
        #expect(error?.failures["r401"]?.serverRecord == Self.stored)
        #expect(error?.failures.count == 101)
        #expect(error?.failures["r899"]?.code == .unavailable)
        #expect(
            try await transport.save(Array(records[..<400]), policy: .insert).map(\.recordID) == records[..<400].map(\.recordID))
    }

    @Test(
        "A record's name is one percent-encoded path segment",
        arguments: [
            ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("a b?c#d", "a%20b%3Fc%23d"), ("☃", "%E2%98%83"), ("%41", "%2541"),
        ])
    func encodesNames(_ name: String, _ segment: String) async throws {
        let server = try LoopbackServer(.answers(200, body: Self.record))
        defer { server.stop() }
        #expect(try await Relay.transport(server).record(withID: .init(recordName: name)) == Self.stored)
        #expect(server.requests.map(\.target) == ["/v1/records/\(segment)"])
    }

    @Test("A missing record or subscription is nil, and removing it is not an error")
    func missingIsNil() async throws {
        let server = try LoopbackServer(Relay.problem(404, "notFound"))
        defer { server.stop() }
        let transport = Relay.transport(server)
        #expect(try await transport.record(withID: "a") == nil)
        #expect(try await transport.subscription(withID: "s") == nil)
        try await transport.deleteSubscription(withID: "s")
    }

    @Test("Subscriptions and queries are sent in the relay's format")
    func sendsBodies() async throws {
        let server = try LoopbackServer { request in
            switch request.method {
            case "PUT", "DELETE": .answers(204)
            case "GET": .answers(200, body: #"{"id":"s/1","recordType":"T","clientid":null}"#)
            default: .answers(200, body: #"{"records":[]}"#)
            }
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        #expect(try await transport.save(TelemetrySubscription(id: "s/1", recordType: "T", clientId: "c")) == "s/1")
        #expect(try await transport.subscription(withID: "s/1") == TelemetrySubscription(id: "s/1", recordType: "T"))
        try await transport.deleteSubscription(withID: "s/1")
        _ = try await transport.records(
            matching: .init(recordType: "T", conditions: ["n": .int(1)], sortField: "n", ascending: false))
        #expect(
            server.requests.map { "\($0.method) \($0.target) \(String(decoding: $0.body, as: UTF8.self))" } == [
                #"PUT /v1/subscriptions/s%2F1 {"recordType":"T","clientid":"c"}"#, "GET /v1/subscriptions/s%2F1 ",
                "DELETE /v1/subscriptions/s%2F1 ",
                #"POST /v1/records/query {"recordType":"T","conditions":{"n":1},"sortField":"n","ascending":false}"#,
            ])
    }

    @Test("Deleting all events says so in the request; a filter that matches nothing sends no request")
    func deletes() async throws {
        let server = try LoopbackServer(.answers(200, body: #"{"deleted":3}"#))
        defer { server.stop() }
        let transport = Relay.transport(server)
        #expect(try await transport.deleteAllEvents() == 3)
        #expect(try await transport.deleteEvents(matching: .init(names: [])) == 0)
        #expect(try await transport.countEvents(matching: .init(names: [])) == 0)
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["DELETE /v1/events?all=true"])
    }

    @Test("A page keeps the digits of its times, and is no larger than the relay's limit")
    func readsPages() async throws {
        let server = try LoopbackServer(Relay.page(["a", "b"], cursor: "x+/=", hasMore: true))
        defer { server.stop() }
        let page = try await Relay.transport(server).events(matching: .init(clientId: "a&b"), after: nil, limit: .max)
        #expect(page.events.map(\.eventId) == ["a", "b"])
        #expect(page.events[0].timestamp == TimestampFormat.date(from: "2026-11-21T08:00:00.123456789Z"))
        #expect(page.cursor.rawValue == "x+/=" && page.hasMore)
        _ = try await Relay.transport(server).events(matching: .all, after: page.cursor, limit: 5)
        #expect(server.requests.map(\.target) == ["/v1/events?client=a%26b&limit=1000", "/v1/events?after=x%2B%2F%3D&limit=5"])
    }

    private static func lines(
        _ text: String, type: String = "application/vnd.livetelemetry.lines", without missing: String? = nil,
        more: [String: String] = [:]
    ) -> LoopbackServer.Behaviour {
        var headers = [
            "Content-Type": type, "Telemetry-Cursor": "c", "Telemetry-Has-More": "true", "Telemetry-Skipped": "3",
        ]
        if let missing { headers[missing] = nil }
        return .answers(200, headers: headers.merging(more) { $1 }, body: text)
    }

    @Test("A relay may return a page as lines")
    func readsLines() async throws {
        let events = TelemetryFixtures.events(1...3)
        let text = String(decoding: EventLines.encode(events), as: UTF8.self)
        let server = try LoopbackServer(
            Self.lines(text), Self.lines(text, type: "Application/vnd.LiveTelemetry.lines ; q=1"), Self.lines(""))
        defer { server.stop() }
        for expected in [events, events, []] {
            let page = try await Relay.transport(server).events(matching: .all, after: nil, limit: 5)
            #expect(page.events == expected)
            #expect(page.cursor.rawValue == "c" && page.hasMore && page.skippedEventCount == 3)
        }
        #expect(
            server.requests.map { $0.header("Accept") }.allSatisfy {
                $0 == "application/vnd.livetelemetry.lines, application/json"
            })
    }

    @Test("A page of lines that cannot be read is read as JSON")
    func readsJSONInstead() async throws {
        let text = String(decoding: EventLines.encode(TelemetryFixtures.events(1...3)), as: UTF8.self)
        let server = try LoopbackServer(Self.lines(text, without: "Telemetry-Cursor"), Relay.page(["a"], cursor: "1"))
        defer { server.stop() }
        let page = try await Relay.transport(server).events(matching: .all, after: nil, limit: 5)
        #expect(page.events.map(\.eventId) == ["a"] && page.cursor.rawValue == "1")
        #expect(server.requests.map { $0.header("Accept") }.last == "application/json")
        #expect(server.requests.map(\.target) == ["/v1/events?limit=5", "/v1/events?limit=5"])
    }

    @Test("A page of lines that is not a relay's is an error, and no event of it is lost in silence")
    func refusesLines() async throws {
        let text = String(decoding: EventLines.encode(TelemetryFixtures.events(1...3)), as: UTF8.self)
        let pages = [
            Self.lines(text + "x\n"), Self.lines(String(text.dropLast())),
            Self.lines(text.replacing("\"seq\":2", with: "\"seq\":x")),
            Self.lines(text, type: "application/vnd.livetelemetry.lines2"), Self.lines(text, without: "Telemetry-Cursor"),
            Self.lines(text, without: "Telemetry-Has-More"), Self.lines(text, without: "Telemetry-Skipped"),
            Self.lines(text, more: ["Telemetry-Has-More": "maybe"]), Self.lines(text, more: ["Telemetry-Count": "4"]),
        ]
        for page in pages {
            let server = try LoopbackServer(page, page)
            defer { server.stop() }
            let error = await #expect(throws: TelemetryTransportError.self) {
                try await Relay.transport(server).events(matching: .all, after: nil, limit: 5)
            }
            #expect(error?.code == .unavailable)
        }
    }

    @Test("An event stream sends one waiting request per page, continues after an outage, and sends no other request")
    func follows() async throws {
        let server = try LoopbackServer(
            Relay.page(["a"], cursor: "1"), Relay.page([], cursor: "2"), .hangsUp, Relay.problem(429, "rateLimited"),
            Relay.page(["b", "c"], cursor: "4"), .stalls)
        defer { server.stop() }
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.minimumReconnectDelay = .milliseconds(1)
        configuration.maximumReconnectDelay = .milliseconds(2)
        let transport = Relay.transport(server, configuration: configuration)
        var found: [String] = []
        for try await event in transport.eventStream() {
            found.append(event.eventId)
            if found.count == 3 { break }
        }
        #expect(found == ["a", "b", "c"])
        #expect(
            server.requests.prefix(5).map(\.target) == [
                "/v1/events?limit=500", "/v1/events?after=1&limit=500&wait=50", "/v1/events?after=2&limit=500&wait=50",
                "/v1/events?after=2&limit=500&wait=50", "/v1/events?after=2&limit=500&wait=50",
            ])
    }

    @Test("The limits of a relay with smaller pages are fetched once")
    func adoptsPageLimit() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/v1/server" { return .answers(200, body: #"{"api":1,"limits":{"page":7,"waitSeconds":5}}"#) }
            return request.target.hasSuffix("limit=7") ? Relay.page([], cursor: "c") : Relay.problem(400, "invalidArgument")
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        for _ in 0..<2 { _ = try await transport.events(matching: .all, after: nil, limit: 100) }
        #expect(
            server.requests.map(\.target) == ["/v1/events?limit=100", "/v1/server", "/v1/events?limit=7", "/v1/events?limit=7"])
        let error = await #expect(throws: TelemetryTransportError.self) { try await transport.countEvents() }
        #expect(error?.code == .invalidArgument)
    }

    @Test("The schema is valid if the relay has this API version; the debug information names the relay and the role")
    func describes() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/v1/server": .answers(200, body: Relay.server)
            case "/v1/events/count": .answers(200, body: #"{"count":12}"#)
            default: .answers(200, body: #"{"records":[\#(Self.record)]}"#)
            }
        }
        defer { server.stop() }
        let transport = Relay.transport(server)
        #expect(await transport.validateSchema())
        let info = await transport.debugInfo()
        #expect(info.containerID == server.baseURL.absoluteString)
        #expect(info.environment == "relay 1.0, role viewer")
        #expect(info.recordCount == 12 && info.firstRecordID == "a" && info.errorMessage == nil)
        for (api, isValid) in [(0, false), (2, true), (3, false)] {
            let other = try LoopbackServer(.answers(200, body: #"{"api":\#(api)}"#))
            defer { other.stop() }
            #expect(await Relay.transport(other).validateSchema() == isValid)
        }
    }
}

import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Events in the form of the file store's lines, in both directions.
struct EventLinesRoutesTests {
    private static let header = #"{"session":"s","client":"a","deviceType":"Linux","thread":"7","scenario":"Net","level":"info"}"#
    private static let line = #"{"seq":1,"time":"2026-11-21T08:00:00.000Z","name":"n"}"#

    private static func headed(_ header: String) -> String {
        var writer = JSONWriter()
        writer.raw(header.utf8)
        return #"{"header":\#(header),"checksum":"\#(writer.checksum)"}"#
    }

    private static func body(_ lines: String..., below header: String = header) -> String {
        ([headed(header)] + lines).map { $0 + "\n" }.joined()
    }

    @Test("Lines take from their header what they leave out, and are stored once in either form")
    func forms() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let header = #"""
                {"session":"s","client":"a","ids":"s-t","deviceType":"Linux","later":[{}],"osVersion":null,"thread":"7","scenario":"Net",
                "level":"diagnostic","start":"2026-11-21T08:00:00.5Z","names":["n","m"],"threads":["8"],"scenarios":["Net","Disk"]}
                """#.replacing("\n", with: " ")
            let checksum = Self.headed(header).suffix(10)
            let lines = [
                #"{"segment":4,"checksums":true}"#,
                #"{ "header" : \#(header) , "library": "1" , "checksum" : "\#(checksum.prefix(9)) }"#,
                #"{"seq":1,"time":0,"name":0}"#, "",
                #"{"seq":2,"id":19,"time":-0.000001,"name":1,"thread":0,"scenario":1,"level":"info","text":"é\n","later":{"x":[1]}}"#,
                #"{"attributes":{"i":1,"w":2.0,"x":9007199254740993.0,"y":1e3,"e":{"double":100000000000000000000},"d":{"double":2},"f":2.5,"t":{"date":"2026-01-01T00:00:00.1Z"}},"name":"o","time":"2026-11-21T08:00:01.123456789Z","scenario":null,"id":"x","thread":"9","seq":0}"#,
                #"{"seq":3,"time":1250.417000,"name":"p"}"#,
            ]
            let events = #"""
                [{"eventId":"s-1","eventName":"n","eventTimestamp":"2026-11-21T08:00:00.500Z","sessionId":"s","deviceType":"Linux","threadId":"7","scenario":"Net","logLevel":"diagnostic","clientid":"a","sequence":1},{"eventId":"s-t-19","eventName":"m","eventTimestamp":"2026-11-21T08:00:00.499999999Z","sessionId":"s","deviceType":"Linux","threadId":"8","property1":"é\n","scenario":"Disk","logLevel":"info","clientid":"a","sequence":2},{"eventId":"x","eventName":"o","eventTimestamp":"2026-11-21T08:00:01.123456789Z","sessionId":"s","deviceType":"Linux","threadId":"9","logLevel":"diagnostic","clientid":"a","attributes":{"i":1,"w":2,"x":9007199254740993,"y":1000,"e":1e+20,"d":2.0,"f":2.5,"t":{"date":"2026-01-01T00:00:00.1Z"}}},{"eventId":"s-3","eventName":"p","eventTimestamp":"2026-11-21T08:00:01.750417Z","sessionId":"s","deviceType":"Linux","threadId":"7","scenario":"Net","logLevel":"diagnostic","clientid":"a","sequence":3}]
                """#.replacing("750417Z", with: "750417000Z")
            let body = lines.map { $0 + "\n" }.joined()
            #expect(try await relay.postLines(String(body.dropLast())).text == #"{"stored":4,"duplicates":0}"#)
            let page = try await relay.get("/v1/events").text
            #expect(page.hasPrefix(#"{"events":\#(events),"cursor":""#), "\(page)")
            #expect(try await relay.postLines(body).text == #"{"stored":0,"duplicates":4}"#)
            // White space around a line's object has no meaning.
            #expect(try await relay.postLines(body.replacing("}\n", with: "} \r\n")).text == #"{"stored":0,"duplicates":4}"#)
            #expect(try await relay.post("/v1/events", #"{"events":\#(events)}"#).text == #"{"stored":0,"duplicates":4}"#)
        }
    }

    /// Events in JSON that differ in what their lines share, in any mix.
    private static let mix = [
        WireSample.event("s-1", more: #","sequence":1,"threadId":"1","scenario":"Net","deviceName":"\u00e9""#),
        WireSample.event("s-2", more: #","sequence":2,"scenario":"Net","deviceName":"e\u0301""#),
        WireSample.event("s-2", client: nil), WireSample.event("s-3", client: nil, more: #","threadId":"","scenario":"""#),
        WireSample.event("s-4", client: nil, more: #","sequence":9223372036854775807,"threadId":"e\u0301","property1":"\n""#),
        WireSample.event("s-5", client: nil, more: #","sequence":5,"threadId":"\u00e9","logLevel":"diagnostic""#),
        WireSample.event("6", more: #","sequence":6,"logLevel":"diagnostic","attributes":{"a":1,"b":2.0,"c":-0.0,"d":1e300}"#),
        WireSample.event("7", more: #","sequence":7,"attributes":{"a":{"double":"nan"},"b":{"date":"2026-01-01T00:00:00.10Z"}}"#),
        WireSample.event("9", more: #","sequence":0"#),
        WireSample.event("8", more: #","sequence":8,"appVersion":"1","attributes":{"a":"\u0000\"\\","":true,"l":1e18}"#),
    ]

    private static let times = [
        "2026-11-21T08:00:00.123Z", "2026-11-21T07:59:59.000Z", "2026-11-21T08:00:00.123456789Z",
        "2026-11-21T08:00:00.000000001Z",
        "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00.000Z",
        "2255-03-13T16:00:00.000Z", "2026-11-21T08:00:00.5Z",
    ]

    @Test("What is read as lines and stored again is the same in JSON", arguments: ["asc", "desc"])
    func roundTrip(order: String) async throws {
        let sent = zip(Self.mix, Self.times).map { $0.replacing("2026-11-21T08:00:00Z", with: $1) }
        try await RelayBench.run { source async throws -> Void in
            #expect(try await source.post("/v1/events", #"{"events":[\#(sent.joined(separator: ","))]}"#).status == .ok)
            let page = try await source.getLines("/v1/events?order=\(order)")
            #expect(page.headers[.contentType] == "application/vnd.livetelemetry.lines")
            let json = try await source.get("/v1/events?order=\(order)").text
            try await RelayBench.run { copy async throws -> Void in
                #expect(try await copy.postLines(page.text).text == #"{"stored":10,"duplicates":0}"#)
                let copied = try await copy.get("/v1/events").text
                // Bytes, because strings of different Unicode spellings are equal.
                #expect(Array(copied.prefix { $0 != "]" }.utf8) == Array(json.prefix { $0 != "]" }.utf8), "\(copied)\n\(json)")
            }
        }
    }

    /// Events of two clients and sessions, with repeated and different values.
    private static let events = (1...200 as ClosedRange<UInt64>).map { number in
        let values: [String: TelemetryValue] = [
            "i": .int(Int64(number)), "d": .double(Double(number)), "t": .date(TelemetryFixtures.date),
        ]
        let session = number < 150 ? "s" : "t"
        return TelemetryEvent(
            eventId: "\(session)-\(number)", clientId: number % 50 < 40 ? "a" : nil, sessionId: session, sequence: number,
            name: "name \(number % 7)",
            timestamp: number % 11 == 0 ? Date(timeIntervalSince1970: -5) : TelemetryFixtures.date + Double(number) / 7_000,
            device: TelemetryFixtures.device, threadId: "\(number % 4)", property1: number % 3 == 0 ? "text \(number)" : nil,
            attributes: number % 2 == 0 ? values : [:], scenario: ["Net", "Disk", nil][Int(number % 3)],
            level: number % 5 == 0 ? .diagnostic : .info)
    }

    @Test("The library's reader reads from the relay's lines the events that its writer sent")
    func library() async throws {
        let events = Self.events
        try await RelayBench.run { relay async throws -> Void in
            let body = String(decoding: EventLines.encode(events), as: UTF8.self)
            #expect(try await relay.postLines(body).text == #"{"stored":200,"duplicates":0}"#)
            let lines = try await relay.getLines("/v1/events?limit=1000").text
            #expect(EventLines.decode(Array(lines.utf8)) == events)
        }
    }

    @Test("A page of lines has the lines that were sent, below one header for those that follow each other")
    func kept() async throws {
        // The first header has no tables yet, the last lines below it have names and threads as numbers.
        let sent = Self.events.filter { $0.sessionId == "s" && $0.clientId != nil }
        let body = String(decoding: EventLines.encode(sent), as: UTF8.self)
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.postLines(body).status == .ok)
            let read = try await relay.getLines("/v1/events?limit=1000").text
            #expect(Self.lines(read) == Self.lines(body))
            #expect(read.split(separator: "\n").count == body.split(separator: "\n").count)
            #expect(Self.lines(body).contains { $0.contains(#""name":0,"thread":0"#) })
            // A page that begins elsewhere has the header that its lines refer to.
            let page = try await relay.get("/v1/events?limit=90")
            let cursor = try #require(page["cursor"] as? String)
            let rest = try await relay.getLines("/v1/events?limit=1000&after=\(cursor)").text
            #expect(EventLines.decode(Array(rest.utf8)) == Array(sent.dropFirst(90)))
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix(#"{"seq""#) }
    }

    private static func event(_ number: UInt64, session: String) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(session)-\(number)", clientId: "a", sessionId: session, sequence: number,
            name: "\(session) \(number % 5)",
            timestamp: TelemetryFixtures.date + Double(number), device: TelemetryFixtures.device, threadId: "\(number % 3)",
            property1: String(repeating: "text ", count: 8), attributes: ["n": .int(Int64(number)), "f": .double(0.5)],
            scenario: "Net", level: .info)
    }

    /// All events in pages of one form, each as its identifier, name and thread.
    private static func pages(_ relay: borrowing RelayBench, asLines: Bool) async throws -> [[String?]] {
        var found: [[String?]] = []
        var cursor = ""
        while true {
            let path = "/v1/events?limit=777\(cursor)"
            if asLines {
                let page = try await relay.getLines(path)
                let events = try #require(EventLines.decode(all: page.text.utf8))
                found += events.map { [$0.eventId, $0.name, $0.threadId] }
                let next = HTTPField.Name("Telemetry-Cursor").flatMap { page.headers[$0] }
                cursor = "&after=\(try #require(next))"
                if events.isEmpty { return found }
            } else {
                let page = try await relay.get(path)
                let events = try #require(page["events"] as? [[String: Any]])
                found += events.map { event in ["eventId", "eventName", "threadId"].map { event[$0] as? String } }
                cursor = "&after=\(try #require(page["cursor"] as? String))"
                if events.isEmpty { return found }
            }
        }
    }

    @Test("Lines that become several blocks, or are of sessions in turns, have their headers wherever a page begins")
    func headers() async throws {
        let long = (1...3_000 as ClosedRange<UInt64>).map { Self.event($0, session: "long") }
        let (first, second) = (
            (1...40 as ClosedRange<UInt64>).map { Self.event($0, session: "s") },
            (1...40 as ClosedRange<UInt64>).map { Self.event($0, session: "t") }
        )
        let lines = [first, second].map { events in
            String(decoding: EventLines.encode(Array(repeatElement(events, count: 8).joined())), as: UTF8.self)
                .split(separator: "\n")
        }
        // The last ones have numbers instead of names.
        let headers = try lines.map { try #require($0.last { $0.hasPrefix(#"{"header""#) }) }
        let turns = zip(lines[0].suffix(40), lines[1].suffix(40)).flatMap { [headers[0], $0, headers[1], $1] }
        #expect(turns.contains { $0.contains(#""name":0"#) })
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.postLines(String(decoding: EventLines.encode(long), as: UTF8.self)).status == .ok)
            #expect(
                try await relay.postLines(turns.map { $0 + "\n" }.joined()).text == #"{"stored":80,"duplicates":0}"#)
            let expected = (long + zip(first, second).flatMap { [$0, $1] }).map { [$0.eventId, $0.name, $0.threadId] }
            #expect(try await Self.pages(relay, asLines: true) == expected)
            #expect(try await Self.pages(relay, asLines: false) == expected)
        }
    }

    @Test(
        "What is stored of attributes, the relay and the library read alike",
        arguments: [
            (#"{"double":1e-400}"#, "0.0"), (#"{"double":"abc","double":1}"#, "1.0"), (#"{"double":"abc"}"#, nil),
            (#"{"double":"inf"}"#, #"{"double":"inf"}"#),
            (#"{"double":2}"#, "2.0"), (#"{"double":"2"}"#, "2.0"), (#"{"double":1e20}"#, "1e+20"), ("2.0", "2"), ("-0", "0"),
            ("1e3", "1000"), ("0.1000", "0.1"), ("0.25", "0.25"), ("123456789012345678", "123456789012345678"),
            (#"{"date":"2026-01-01T00:00:00.1Z"}"#, #"{"date":"2026-01-01T00:00:00.1Z"}"#),
            (#"{"date":"2026-01-01T00:00:00Z","x":[{}]}"#, #"{"date":"2026-01-01T00:00:00Z"}"#), ("\r\t 1", "1"),
            ("true ", "true"),
            (#""\u00e9\/""#, #""\u00e9\/""#), ("1,\"a\":2", "2"),
        ] as [(String, String?)])
    func attributes(value: String, json: String?) async throws {
        for member in [#""name":"n""#, #" "name":"n""#] {
            let line = #"{"seq":1,"time":"2026-11-21T08:00:00.000Z",\#(member),"attributes":{"a":\#(value)}}"#
            try await RelayBench.run { relay async throws -> Void in
                let answer = try await relay.postLines(Self.body(line))
                #expect(answer.status == (json == nil ? .badRequest : .ok))
                let lines = try await relay.getLines("/v1/events").text
                #expect(!lines.contains("\r"))
                #expect(EventLines.decode(all: lines.utf8)?.count == (json == nil ? 0 : 1))
                guard let json, member.hasPrefix("\"") || !json.contains("\\") else { return }
                #expect(try await relay.get("/v1/events").text.contains(#""attributes":{"a":\#(json)}}],"#))
            }
        }
    }

    @Test(
        "A stored line that is damaged or does not match its header is an error",
        arguments: [
            "{}", #"{"seq":1,"time":0,"name":"n"}"#, #"{"seq":1,"time":"2026-11-21T08:00:00.000Z","name":0}"#,
            #"{"seq":1,"id":1,"time":"2026-11-21T08:00:00.000Z","name":"n"}"#,
            #"{"seq":1,"time":"2026-11-21T08:00:00.000Z","name":"n","attributes":{"a":[]}}"#,
        ])
    func unreadable(line: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            var event = Sample.event(1, text: line + "\n")
            for header in [Self.headed(#"{"session":"s"}"#) + "\n", "x"] {
                event.header = header
                event.eventId += "x"
                #expect(try await relay.storage.events.append([event]).stored == 1)
                #expect(try await relay.get("/v1/events").status == .serviceUnavailable)
                #expect(try await relay.storage.events.delete(matching: .all) == 1)
            }
        }
    }

    @Test("An event in JSON comes back with the digits, zeros and empty objects that it was sent with")
    func details() async throws {
        let times = ["", ".1", ".120", ".123456", ".123000000", ".123456789"].map { "2026-11-21T08:00:00\($0)Z" }
        let more = [
            #","sequence":0"#, "", #","sequence":1,"attributes":{}"#, #","sequence":0,"attributes":{"a":"\/\u00e9"}"#, "", "",
        ]
        let sent = zip(times, more).enumerated().map { index, parts in
            WireSample.event("\(index)", more: parts.1).replacing("2026-11-21T08:00:00Z", with: parts.0)
        }
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.post("/v1/events", WireSample.batch(sent.joined(separator: ","))).status == .ok)
            let page = try await relay.get("/v1/events")
            let events = try #require(page["events"] as? [[String: Any]])
            #expect(events.map { $0["eventTimestamp"] as? String } == times)
            #expect(events.map { $0["sequence"] as? Int } == [0, nil, 1, 0, nil, nil])
            #expect(events.map { ($0["attributes"] as? [String: String])?.count } == [nil, nil, 0, 1, nil, nil])
            let lines = try await relay.getLines("/v1/events").text
            let stored = EventLines.decode(Array(lines.utf8))
            #expect(stored.map(\.timestamp) == times.map { TimestampText.date(from: $0) })
            #expect(stored.map(\.sequence) == [0, 0, 1, 0, 0, 0])
        }
    }

    @Test("A header that is much larger than its lines is stored without the tables that they do not need")
    func largeTables() async throws {
        let names = (0..<1_000).map { String(repeating: "x", count: 90) + "\($0)" }
        let header = #"{"session":"s","client":"a","names":["\#(names.joined(separator: #"",""#))"]}"#
        let lines = (1...3_000).map { #"{"seq":\#($0),"time":"2026-11-21T08:00:00Z","name":\#($0 % 1_000)}"# }
        let body = ([Self.headed(header)] + lines).map { $0 + "\n" }.joined()
        let batch = try WireEventLines.read(body.utf8, limits: .init())
        #expect(batch.events.count == 3_000)
        #expect(batch.headers.map(\.count).max().map { $0 < 100 } == true)
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.postLines(body).text == #"{"stored":3000,"duplicates":0}"#)
            #expect(try await relay.get("/v1/events/count?name=\(names[7])").text == #"{"count":3}"#)
        }
    }

    @Test(
        "A malformed line is a 400 that names it, and nothing of the body is stored",
        arguments: [
            (line, "lines[0] has no header above it."),
            (body(line, "{"), "lines[2] is malformed: the text is truncated (at byte 1)."),
            (body(line, line + " x"), "lines[2] is malformed: there is more than one value (at byte 55)."),
            (body("[]"), "lines[1] must be an object."), (body(" "), "lines[1] is malformed: the text is truncated (at byte 1)."),
            (body(#"{"time":0,"name":"n"}"#), "lines[1].time is not a number of milliseconds after the header's start."),
            (body(#"{"time":"2026-11-21T08:00:00Z","name":"n"}"#), "lines[1].seq is missing."),
            (body(#"{"seq":1,"name":"n"}"#), "lines[1].time is missing."),
            (body(#"{"seq":1,"time":"2026-11-21T08:00:00Z"}"#), "lines[1].name is missing."),
            (body(#"{"seq":-1}"#), "lines[1].seq must be a whole number of at least 0."),
            (body(#"{"seq":-0}"#), "lines[1].seq must be a whole number of at least 0."),
            (body(#"{"seq":9223372036854775808}"#), "lines[1] is malformed: an integer exceeds 64 bits (at byte 26)."),
            (body(#"{"name":0}"#), "lines[1].name is a number that the header does not explain."),
            (body(#"{"scenario":-1}"#), "lines[1].scenario must be a string or a whole number of at least 0."),
            (body(#"{"thread":null}"#), "lines[1].thread must be a string."),
            (body(#"{"name":-0}"#), "lines[1].name must be a string or a whole number of at least 0."),
            (body(#"{"id":1.5}"#), "lines[1].id must be a string or a whole number of at least 0."),
            (body(line.replacing(#""n""#, with: #""n","id":1"#)), "lines[1].id is a number, and the header has no ids."),
            (body(#"{"seq":1,"seq":2}"#), "lines[1] has two members seq."),
            (body(#"{"id":1,"id":1}"#, below: #"{"session":"s","ids":"s"}"#), "lines[1] has two members id."),
            (headed(#"{"session":"s","client":"a","client":"a"}"#), "lines[0].header has two members client."),
            (headed(#"{"session":"s","level":"loud"}"#), "lines[0].header.level must be one of info, diagnostic."),
            (body(#"{"time":"yesterday"}"#), "lines[1].time is not an RFC 3339 time in UTC."),
            (body(line.replacing(#""n""#, with: #""n","level":"loud""#)), "lines[1].level must be one of info, diagnostic."),
            (body(line.replacing(#""n""#, with: #""n","id":"""#)), "lines[1].eventId is empty."),
            (body(#"{"attributes":[]}"#), "lines[1].attributes must be an object."),
            (
                body(#"{"attributes":{"a":[1]}}"#),
                #"lines[1].attributes.a must be a string, a number, a boolean, {"date": …} or {"double": …}."#
            ),
            (
                body(#"{"attributes":{"a":null}}"#),
                #"lines[1].attributes.a must be a string, a number, a boolean, {"date": …} or {"double": …}."#
            ),
            (
                body(#"{"attributes":{"a":{"date":null,"double":1}}}"#),
                #"lines[1].attributes.a must be a string, a number, a boolean, {"date": …} or {"double": …}."#
            ),
            (
                body(#"{"attributes":{"a":{"double":1,"double":2}}}"#),
                #"lines[1].attributes.a must be a string, a number, a boolean, {"date": …} or {"double": …}."#
            ),
            (
                headed(header).replacing("d3671b0a", with: "a" + String(repeating: "\u{301}\u{323}", count: 16)),
                "lines[0] is malformed: a name has more than 30 combining characters in a row (at byte 183)."
            ),
            (body(#"{"time":"2026-11-21t08:00:00z"}"#), "lines[1].time is not an RFC 3339 time in UTC."),
            (body(headed(header) + line), "lines[1] is malformed: there is more than one value (at byte 127)."),
            (body(#"{"segment":4}"#), "lines[1]: only the first line may have a segment."),
            (#"{"segment":3}"#, "lines[0].segment must be 4."),
            (#"{"segment":4,"checksums":true,"runs":true}"#, "lines[0]: runs are not supported."),
            (#"{"run":[1,2,3,4],"checksum":"00000000"}"#, "lines[0]: runs are not supported."),
            (#"{"segment":4,"seq":1}"#, "lines[0] is a segment and an event."),
            (headed(header).dropLast() + #","seq":1}"#, "lines[0] is a header and an event."),
            (#"{"header":\#(header)}"#, "lines[0].checksum is missing, or wrong, or before the header."),
            (headed(header).replacing("Linux", with: "Linus"), "lines[0].checksum is missing, or wrong, or before the header."),
            (headed(#"{"client":"a"}"#), "lines[0].header.session is missing."),
            (headed("7"), "lines[0].header must be an object."),
            (headed(#"{"session":7}"#), "lines[0].header.session must be a string."),
            (headed(#"{"session":"s","names":{}}"#), "lines[0].header.names must be an array."),
            (headed(#"{"session":"s","names":[7]}"#), "lines[0].header.names[0] must be a string."),
            (
                headed(#"{"session":"s","start":"1969-12-31T23:59:59.999Z"}"#),
                "lines[0].header.start is not a time from 1970 on in whole milliseconds."
            ),
            (
                headed(#"{"session":"s","start":"2026-11-21T08:00:00.0001Z"}"#),
                "lines[0].header.start is not a time from 1970 on in whole milliseconds."
            ),
            (body(line, below: #"{"session":"s","client":""}"#), "lines[1].clientid has to have 1 to 1024 bytes of UTF-8."),
        ] as [(String, String)])
    func malformed(body: String, reason: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.postLines(body)
            #expect(answer.status == .badRequest)
            #expect(answer.code == "invalidArgument")
            #expect(answer["detail"] as? String == reason)
            #expect(try await relay.get("/v1/events/count").text == #"{"count":0}"#)
        }
    }

    @Test(
        "A line's time is a number of whole milliseconds, or with six digits more, that is not before 1970 and fits",
        arguments: [
            ("1", true), ("-1", true), ("1.5", false), ("1.0000000", false), ("1.000000", true), ("-0.000001", true),
            ("1e3", false),
            ("-1795248000000", true), ("-1795248000001", false), ("7428124036854.775807", true), ("7428124036854.775808", false),
            ("99999999999999999999", false), ("-9223372036854775808", false), ("9223372036854775807", false),
        ])
    func times(time: String, isRead: Bool) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let header = #"{"session":"s","start":"2026-11-21T08:00:00.000Z"}"#
            let body = Self.body(#"{"seq":1,"time":\#(time),"name":"n"}"#, below: header)
            #expect(try await relay.postLines(body).status == (isRead ? .ok : .badRequest))
            // What the relay reads, the library reads as the same event.
            let decoded = EventLines.decode(Array(body.utf8))
            #expect(decoded.count == (isRead ? 1 : 0))
            let text = try await relay.getLines("/v1/events").text
            #expect(EventLines.decode(Array(text.utf8)) == (isRead ? decoded : []))
        }
    }

    @Test("No header or table makes a body larger than the limit, nor a batch than its number of events")
    func limits() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.bodyBytes = 64 << 10
        configuration.limits.batchEvents = 3
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let long = String(repeating: "x", count: 30_000)
            let escaped = String(repeating: #"\u0000"#, count: 5_000)
            for (header, line) in [
                (Self.header.replacing("Linux", with: long), Self.line),
                (#"{"session":"s","names":["\#(long)"]}"#, Self.line.replacing(#""n""#, with: "0")),
                (#"{"session":"s","ids":"\#(long)"}"#, Self.line.replacing(#""name""#, with: #""id":1,"name""#)),
                (Self.header.replacing("Linux", with: escaped), Self.line),
                (#"{"session":"s","names":["\#(escaped)"]}"#, Self.line.replacing(#""n""#, with: "0")),
                // The identifiers contain it again.
                (#"{"session":"\#(escaped.prefix(15_000))"}"#, Self.line),
            ] {
                let answer = try await relay.postLines(Self.body(line, line, line, below: header))
                #expect(answer.status == .contentTooLarge)
                #expect(answer["detail"] as? String == "With the headers' fields, the events have more than 65536 bytes.")
            }
            let fits = Self.body(
                Self.line, Self.line, Self.line, below: Self.header.replacing("Linux", with: long.prefix(20_000)))
            #expect(try await relay.postLines(fits).text == #"{"stored":1,"duplicates":2}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true").status == .ok)
            let four = try await relay.postLines(Self.body(Self.line, Self.line, Self.line, Self.line))
            #expect(four["detail"] as? String == "A batch has at most 3 events.")
            let compressed = try await GzipTests.compressed(Array(String(repeating: "\n", count: 64 << 10 + 1).utf8))
            let bomb = try await relay.client.execute(
                uri: "/v1/events", method: .post,
                headers: [.contentType: EventForm.linesType, .contentEncoding: "gzip"], body: ByteBuffer(bytes: compressed)
            ) { $0.status }
            #expect(bomb == .contentTooLarge)
            let table = #"{"session":"s","names":[\#(Array(repeating: #""""#, count: 1_025).joined(separator: ","))]}"#
            let many = try await relay.postLines(Self.body(below: table))
            #expect(many["detail"] as? String == "lines[0].header.names has more than 1024 strings.")
            let large = try await relay.postLines(String(repeating: "\n", count: 64 << 10 + 1))
            #expect(large.status == .contentTooLarge)
            #expect(try await relay.postLines(String(repeating: "\n", count: 64 << 10)).text == #"{"stored":0,"duplicates":0}"#)
            #expect(try await relay.get("/v1/events/count").text == #"{"count":0}"#)
        }
    }

    @Test("A host may append lines only below headers of its own clients")
    func owners() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let token = try await relay.token(.host)
            let host = TestCaller.host("a", token: token)
            let other = Self.body(Self.line) + Self.body(Self.line, below: #"{"session":"s","client":"b"}"#)
            #expect(try await relay.postLines(other, as: host).status == .forbidden)
            #expect(try await relay.postLines(Self.body(Self.line, below: #"{"session":"s"}"#), as: host).status == .forbidden)
            #expect(try await relay.postLines(Self.body(Self.line), as: host).text == #"{"stored":1,"duplicates":0}"#)
        }
    }

    @Test(
        "A page has the form that the request prefers",
        arguments: [
            (nil, false), ("*/*", false), ("application/json", false), ("application/*", false),
            ("application/vnd.livetelemetry.lines", true), ("Application/Vnd.LiveTelemetry.Lines; q=0.5, text/html", true),
            ("application/json, application/vnd.livetelemetry.lines", true),
            ("application/json, application/vnd.livetelemetry.lines;q=0.9", false),
            ("application/vnd.livetelemetry.lines;q=0", false), ("application/vnd.livetelemetry.lines;q=0.5, */*", false),
            ("application/vnd.livetelemetry.lines, application/*;q=0.5", true),
        ])
    func preference(accept: String?, isLines: Bool) async throws {
        try await RelayBench.run { relay async throws -> Void in
            #expect(try await relay.postLines(Self.body(Self.line, Self.line.replacing(#":1,"#, with: ":2,"))).status == .ok)
            let page = try await relay.send(.get, "/v1/events?limit=1", headers: accept.map { [.accept: $0] } ?? [:])
            #expect(page.headers[.vary] == "Accept")
            #expect(page.headers[.contentType] == (isLines ? EventForm.linesType : "application/json"))
            guard isLines else { return }
            let json = try await relay.get("/v1/events?limit=1")
            func header(_ name: String) -> String? { HTTPField.Name("Telemetry-\(name)").flatMap { page.headers[$0] } }
            #expect(header("Cursor") == json["cursor"] as? String)
            #expect(header("Has-More") == "true")
            #expect(header("Skipped") == "0")
            #expect(header("Count") == "1")
            let cursor = try #require(header("Cursor"))
            let next = try await relay.getLines("/v1/events?after=\(cursor)&limit=1")
            #expect(EventLines.decode(Array(next.text.utf8)).map(\.sequence) == [2])
            #expect(try await relay.getLines("/v1/events?client=b").text.isEmpty)
        }
    }

    @Test("The description lists both forms, and another media type is refused with their names")
    func described() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let server = try await relay.get("/v1/server")
            #expect(server["api"] as? Int == 2)
            #expect(server["formats"] as? [String] == ["json", "lines"])
            let answer = try await relay.send(.post, "/v1/events", "", headers: [.contentType: "text/plain"])
            #expect(answer.status == .unsupportedMediaType)
            let reason = "text/plain is not supported; use application/json or application/vnd.livetelemetry.lines"
            #expect(answer["detail"] as? String == reason)
            // Only events have this form.
            #expect(try await relay.postLines("", to: "/v1/records").status == .unsupportedMediaType)
        }
    }

    /// With a space more, each line is read key by key and written again.
    private static func expectSame(_ body: [UInt8], _ batch: RelayEventBatch) throws {
        let spaced = body.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.first == 0x7B ? [0x7B, 0x20] + line.dropFirst() : line
        }
        let written = try WireEventLines.read(Array(spaced.joined(separator: [0x0A])), limits: .init())
        #expect(try json(written) == json(batch), "\(String(decoding: body, as: UTF8.self))")
    }

    private static let strings = [
        "", "a", "\u{e9}", "e\u{301}", "\n\"\\", "\u{0}\u{1f}\u{7f}", "\u{1f600}", "\u{200b}\u{2028}",
        String(repeating: "x", count: 70),
    ]

    /// An event with unusual values.
    private static func event(_ random: inout SeededGenerator) -> TelemetryEvent {
        func string() -> String { strings.randomElement(using: &random) ?? "" }
        func value() -> TelemetryValue {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: .string(string())
            case 1: .int([0, -1, .max, .min, 123_456_789].randomElement(using: &random) ?? 0)
            case 2:
                .double([0.1 + 0.2, -0.0, 2, 1e300, -.infinity, .leastNonzeroMagnitude, 0.25].randomElement(using: &random) ?? 0)
            case 3: .bool(Bool.random(using: &random))
            default: .date(TelemetryFixtures.date + Double.random(in: -1e9...1e9, using: &random))
            }
        }
        let sequences: [UInt64] = [0, 1, 999_999_999_999_999_999, 1_000_000_000_000_000_000, UInt64(Int64.max)]
        let sequence = sequences.randomElement(using: &random) ?? 0
        let session = string()
        let identifiers = ["\(session)-\(sequence)", "\(session)-7", "x" + string(), "other-12"]
        var attributes: [String: TelemetryValue] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &random) { attributes[string()] = value() }
        return TelemetryEvent(
            eventId: identifiers.randomElement(using: &random) ?? "",
            clientId: Bool.random(using: &random) ? "c" + string() : nil,
            sessionId: session, sequence: sequence, name: string(),
            timestamp: TelemetryFixtures.date + Double.random(in: -3e9...3e9, using: &random),
            device: TelemetryDeviceInfo(
                deviceType: string(), deviceName: string(), deviceModel: "", osVersion: string(), appVersion: string()),
            threadId: string(), property1: Bool.random(using: &random) ? string() : nil, attributes: attributes,
            scenario: Bool.random(using: &random) ? string() : nil, level: Bool.random(using: &random) ? .info : .diagnostic)
    }

    @Test("Any event is the same whether its line is kept or written again, and in the library", arguments: 1...10)
    func unusual(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let events = (0..<3).map { _ in Self.event(&random) }
            let body = EventLines.encode(events)
            let batch = try WireEventLines.read(body, limits: .init())
            try Self.expectSame(body, batch)
            let kept = EventLines.decode(batch.events.flatMap { batch.headers[$0.header] + batch.lines[$0.line] })
            #expect(kept == EventLines.decode(body))
            #expect(kept.count == 3)
        }
    }

    @Test("Of damaged lines, the relay stores none or what the library reads")
    func damaged() async throws {
        let whole = EventLines.encode(Array(Self.events.prefix(60)))
        var generator = SeededGenerator(seed: 38)
        var bodies: [[UInt8]] = []
        for _ in 0..<800 {
            var body = whole
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: 0..<body.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: body.remove(at: index)
                case 1: body[index] = Array(#"{}[]",:0-9.e\ntu"#.utf8 + [0x0A]).randomElement(using: &generator) ?? 0
                default: body.insert(contentsOf: body[index...].prefix(20), at: index)
                }
            }
            // The last line feed may be left out; the library waits for it.
            if body.last != 0x0A { body.append(0x0A) }
            bodies.append(body)
        }
        var (stored, keptLines) = (0, 0)
        for body in bodies {
            guard let batch = try? WireEventLines.read(body, limits: .init()) else { continue }
            stored += 1
            let kept = EventLines.decode(batch.events.flatMap { batch.headers[$0.header] + batch.lines[$0.line] })
            #expect(kept == EventLines.decode(body), "\(String(decoding: body, as: UTF8.self))")
            try Self.expectSame(body, batch)
            keptLines += batch.events.count { body.firstRange(of: batch.lines[$0.line]) != nil }
        }
        #expect((200..<700).contains(stored), "\(stored) of \(bodies.count) were stored")
        #expect(keptLines > 10_000)
    }

    /// The events as the relay returns them, with what filters use.
    private static func json(_ batch: RelayEventBatch) throws -> [String] {
        var writer = WireEventWriter()
        return try batch.events.map { event in
            var json = JSONWriter()
            let cursor = RelayEventCursor(rawValue: "")
            try writer.write(
                RelayStoredEvent(cursor: cursor, header: batch.headers[event.header], line: Array(batch.lines[event.line])),
                to: &json)
            return "\(json.withBytes { String(decoding: $0, as: UTF8.self) }) \(event.identifier) \(event.kind) \(event.time)"
        }
    }
}

extension RelayBench {
    fileprivate func postLines(
        _ body: String, to path: String = "/v1/events", as caller: TestCaller = .nobody
    ) async throws -> Answer {
        try await send(.post, path, body, as: caller, headers: [.contentType: EventForm.linesType])
    }

    fileprivate func getLines(_ path: String) async throws -> Answer {
        try await send(.get, path, headers: [.accept: EventForm.linesType])
    }
}

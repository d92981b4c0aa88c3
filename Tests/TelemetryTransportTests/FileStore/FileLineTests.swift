import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// The store reads and writes lines with its own code. Here Foundation reads its lines, and the store reads other programs'.
struct FileLineTests {
    @Test("Foundation reads the stored events from the segments, and so does the store")
    func generated() async throws {
        try await withTemporaryDirectory { directory in
            var random = EventGenerator(seed: randomSeed)
            let all = (0..<1_500).map { _ in random.event() }
            let transport = try FileTelemetryTransport(
                directory: directory, configuration: .init(segmentBytes: 40_000, journalBytes: 20_000))
            for start in stride(from: 0, to: all.count, by: 50) { try await transport.append(Array(all[start..<start + 50])) }
            #expect(try await transport.fetchAllEvents() == all, "seed \(randomSeed)")

            var parsed: [String: TelemetryEvent] = [:]
            for (path, data) in try files(below: directory) where path.hasSuffix(".jsonl") {
                for event in try Self.parse(data) { parsed[event.eventId] = event }
            }
            #expect(parsed.count == all.count)
            for event in all { #expect(parsed[event.eventId] == event, "seed \(randomSeed)") }
        }
    }

    @Test("Foundation reads names, threads and scenarios that lines refer to by numbers")
    func tables() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            let all = (1...600).map { (number: Int) in
                let scenario: String? = number % 11 == 0 ? nil : "scenario \(number / 5 % 3)"
                return TelemetryEvent(
                    eventId: "s-\(number)", clientId: "client", sessionId: "s", sequence: UInt64(number),
                    name: "name \(number % 7) \"é\"", timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(number) / 7),
                    threadId: "\(number / 3 % 4)", scenario: scenario)
            }
            for start in stride(from: 0, to: 600, by: 50) { try await transport.append(Array(all[start..<start + 50])) }
            let data = try #require(try files(below: directory).first { $0.key.hasSuffix(".jsonl") }?.value)
            #expect(try Self.parse(data) == all)
            let text = String(decoding: data, as: UTF8.self)
            for key in ["name", "thread", "scenario"] { #expect(text.matches(of: try Regex("\"\(key)\":[0-9]")).count > 100) }
            #expect(try await transport.fetchAllEvents() == all)
        }
    }

    @Test("Tables do not count for the size of an event, and an event that is refused does not keep others from being stored")
    func tablesAndLimits() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory, configuration: .init(maximumEventBytes: 700))
            for number in 1...2_000 as ClosedRange<UInt64> {
                try await transport.append([
                    TelemetryEvent(
                        eventId: "s-\(number)", clientId: "client", sessionId: "s", sequence: number,
                        name: "a.rather.long.event.name.number.\(number / 4 % 64)", threadId: "\(number % 3)",
                        scenario: "a rather long scenario \(number / 8 % 40)")
                ])
            }
            #expect(try await transport.countEvents() == 2_000)
            #expect(try await transport.fetchAllEvents().count == 2_000)
        }
    }

    @Test("A line holds only fields that differ from its header")
    func lean() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            try await transport.append(events(1...2))
            let segment = try #require(try files(below: directory).first { $0.key.hasSuffix(".jsonl") }?.value)
            let lines = String(decoding: segment, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 4)
            #expect(lines[0] == #"{"segment":4,"checksums":true}"#)
            #expect(lines[1].hasPrefix(#"{"header":{"session":"session","client":"client","deviceType":"#))
            #expect(lines[1].contains(#""start":"2026-09-21T14:13:21.000Z""#))
            #expect(lines[2] == #"{"seq":1,"time":0,"name":"name"}"#)
            #expect(lines[3] == #"{"seq":2,"time":1000,"name":"name"}"#)
        }
    }

    @Test("A segment holds the library's version once, even after some of its events were deleted")
    func library() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            try await transport.append([
                .init(eventId: "1", clientId: "client", sessionId: "s", sequence: 1, name: "a", scenario: "A"),
                .init(eventId: "2", clientId: "client", sessionId: "s", sequence: 2, name: "b", scenario: "B"),
            ])
            try await transport.append([.init(eventId: "3", clientId: "client", sessionId: "s", sequence: 3, name: "c")])
            func versions() throws -> [Substring] {
                let segment = try #require(try files(below: directory).first { $0.key.hasSuffix(".jsonl") }?.value)
                return String(decoding: segment, as: UTF8.self).split(separator: "\n").filter { $0.contains(#""library":"#) }
            }
            let told = try versions()
            #expect(told.count == 1)
            #expect(told.first?.contains(#","library":"\#(LiveTelemetryVersion.version)"},"checksum":""#) == true)
            #expect(try await transport.deleteEvents(matching: .init(names: ["a"])) == 1)
            #expect(try versions() == told)
        }
    }

    @Test("The store reads another program's lines: other key orders, spaces, escapes, unknown keys")
    func foreignLines() async throws {
        try await withTemporaryDirectory { directory in
            do {
                let transport = try FileTelemetryTransport(directory: directory)
                try await transport.append(events(1...1))
            }
            let path = try #require(try files(below: directory).keys.first { $0.hasSuffix(".jsonl") })
            let text = """
                {"segment":4,"by":"hand","checksums":true}
                { "header" : { "level" : "diagnostic", "session" : "s\\u00e9\\ud83d\\ude00", "extra" : [1, {"a": null}] }, "checksum" : "727cc7e3" }
                {"unknown":{"deep":[true,false,null,-1.5e3]},"name":"a\\/b\\"\\\\\\b\\f","time":"2026-11-21T08:00:00Z","seq":7}
                {"name":"x","seq":8,"time":"2026-11-21T08:00:00.5Z","attributes":{"k\\n":1e2,"i":-9223372036854775808,"u":18446744073709551615}}
                not a line

                {"seq":9,"time":"2026-11-21T08:00:01.000Z","name":"last","scenario":null,"id":"own"}

                """
            try Data(text.utf8).write(to: directory.appending(path: path))
            // Both are rebuilt from the segments.
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            try FileManager.default.removeItem(at: directory.appending(path: "events/client/identity"))
            let told = Told()
            let transport = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            let found = try await transport.fetchAllEvents()
            #expect(found.map(\.eventId) == ["sé😀-7", "sé😀-8", "own"])
            #expect(found.map(\.name) == ["a/b\"\\\u{8}\u{c}", "x", "last"])
            #expect(found[1].attributes == ["k\n": .int(100), "i": .int(.min), "u": .double(18_446_744_073_709_551_616)])
            #expect(found.allSatisfy { $0.level == .diagnostic })
            #expect(told.all.count { $0.kind == .corruptFile } == 1)
        }
    }

    /// Reads a segment's events with Foundation's parser, by the documented rules, without the store's own code.
    private static func parse(_ data: Data) throws -> [TelemetryEvent] {
        var header: [String: Any] = [:]
        var found: [TelemetryEvent] = []
        for line in data.split(separator: UInt8(ascii: "\n")) {
            let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
            if let next = object["header"] as? [String: Any] { header = next }
            guard let sequence = object["seq"] as? UInt64 else { continue }
            func text(_ key: String) -> String { header[key] as? String ?? "" }
            let id: String =
                switch object["id"] {
                case let whole as String: whole
                case let number as UInt64: "\(text("ids"))-\(number)"
                default: "\(text("session"))-\(sequence)"
                }
            func text(_ key: String, or table: String) -> String? {
                if let number = object[key] as? Int { return (header[table] as? [String])?[number] }
                return object[key] as? String
            }
            let attributes = try JSONSerialization.data(withJSONObject: object["attributes"] ?? [:])
            let scenario =
                object.keys.contains("scenario") ? text("scenario", or: "scenarios") : header["scenario"] as? String
            let level = (object["level"] ?? header["level"]) as? String
            let date = try date(of: String(decoding: line, as: UTF8.self), object["time"], after: header["start"] as? String)
            found.append(
                TelemetryEvent(
                    eventId: id, clientId: header["client"] as? String, sessionId: text("session"), sequence: sequence,
                    name: try #require(text("name", or: "names")), timestamp: date,
                    device: TelemetryDeviceInfo(
                        deviceType: text("deviceType"), deviceName: text("deviceName"), deviceModel: text("deviceModel"),
                        osVersion: text("osVersion"), appVersion: text("appVersion")),
                    threadId: text("thread", or: "threads") ?? text("thread"), property1: object["text"] as? String,
                    attributes: try JSONDecoder().decode([String: TelemetryValue].self, from: attributes),
                    scenario: scenario, level: try #require(level.flatMap(TelemetryLogLevel.init))))
        }
        return found
    }

    /// The date in a line: a text, or the milliseconds after the header's start, whose digits are taken from the line, because a
    /// floating-point number would not have all of them.
    private static func date(of line: String, _ time: Any?, after start: String?) throws -> Date {
        func date(_ text: String) throws -> Date {
            try #require(try JSONDecoder().decode(TelemetryValue.self, from: Data(#"{"date":"\#(text)"}"#.utf8)).dateValue)
        }
        if let text = time as? String { return try date(text) }
        let match = try #require(
            try /^{"seq":[0-9]+(,"id":("([^"\\]|\\.)*"|[0-9]+))?,"time":(-?)([0-9]+)(\.([0-9]{6}))?,/.firstMatch(in: line))
        let milliseconds = try #require(Int64(match.5))
        let nanoseconds = milliseconds * 1_000_000 + (match.7.flatMap { Int64($0) } ?? 0)
        let first = try date(try #require(start)).timeIntervalSince1970
        let total = Int64((first * 1_000).rounded()) * 1_000_000 + (match.4.isEmpty ? nanoseconds : -nanoseconds)
        let (seconds, fraction) = total.quotientAndRemainder(dividingBy: 1_000_000_000)
        let whole = try #require(TimestampFormat.string(from: Date(timeIntervalSince1970: Double(seconds))))
        let digits = String(repeating: "0", count: 9 - String(fraction).count) + String(fraction)
        return try date(whole.replacing(".000Z", with: ".\(digits)Z"))
    }
}

/// Events with every kind of string, number and date.
struct EventGenerator {
    private var random: SeededGenerator
    private var count: UInt64 = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func event() -> TelemetryEvent {
        count += 1
        let session = "session \(random.next() % 4)"
        let ids = ["\(session)-\(count)", "other-\(count)", "\(text())\(count)x", "\(text())-\(count)"]
        let device = TelemetryDeviceInfo(
            deviceType: chance(9) ? text() : "Linux", deviceName: "n", deviceModel: "m", osVersion: "o", appVersion: "1")
        var attributes: [String: TelemetryValue] = [:]
        for _ in 0..<random.next() % 4 { attributes[text()] = value() }
        return TelemetryEvent(
            eventId: ids[Int(random.next() % 4)], clientId: chance(5) ? nil : "client \(random.next() % 3)",
            sessionId: session, sequence: chance(20) ? UInt64(Int64.max) : count, name: text(), timestamp: date(),
            device: device, threadId: chance(3) ? "\(random.next() % 5)" : "1", property1: chance(2) ? text() : nil,
            attributes: attributes, scenario: chance(4) ? nil : chance(3) ? text() : "scenario",
            level: chance(5) ? .diagnostic : .info)
    }

    private mutating func chance(_ one: UInt64) -> Bool { random.next().isMultiple(of: one) }

    private mutating func date() -> Date {
        let milliseconds = Double(Int64(random.next() % 4_000_000_000_000)) - 1_000_000_000_000
        return switch random.next() % 4 {
        case 0: Date(timeIntervalSince1970: (milliseconds / 1_000).rounded())
        case 1: Date(timeIntervalSinceReferenceDate: 785_000_000 + Double(random.next() % 1_000_000_000) / 1e9)
        default: Date(timeIntervalSince1970: milliseconds / 1_000)
        }
    }

    private mutating func value() -> TelemetryValue {
        switch random.next() % 8 {
        case 0: .int(Int64(bitPattern: random.next()))
        case 1: .bool(chance(2))
        case 2: .date(date())
        case 3: .double(Double(Int64(bitPattern: random.next())) / 1e15)
        case 4: .double([0, -0.0, 1, -3, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude, 1e-5][Int(random.next() % 9)])
        case 5: .int(Int64(random.next() % 3))
        default: .string(text())
        }
    }

    private mutating func text() -> String {
        let pieces = [
            "a", "Z", "0", " ", "/", "\"", "\\", "\n", "\r", "\t", "\0", "\u{1}", "\u{1f}", "\u{7f}", "\u{80}", "é", "e\u{301}",
            "ß", "日本", "👩‍👩‍👧", "\u{2028}", "\u{fffd}", "\u{10ffff}", "</", "{", "}", ",", ":", "long text here",
        ]
        return (0..<random.next() % 12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
    }
}

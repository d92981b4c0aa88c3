import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@_spi(Tooling) @testable import TelemetryTransport

struct StoredLineTests {
    private static let fields: [QueryField] =
        [.client, .session, .scenario, .level, .severity, .name, .text, .time, .sequence, .id, .thread, .device, .app]
        + ["status", "took", "odd key", "severity", "level", "missing", "e\u{301}", ""].map(QueryField.attribute)

    /// An event whose attributes have plain names.
    private static func event(_ generator: inout EventGenerator) -> TelemetryEvent {
        let event = generator.event()
        let values = event.attributes.sorted { $0.key < $1.key }.map(\.value)
        var attributes: [String: TelemetryValue] = [:]
        for (key, value) in zip(["status", "took", "odd key"], values) { attributes[key] = value }
        if event.sequence % 5 == 0 { attributes["severity"] = "WARN" }
        if event.sequence % 7 == 0 { attributes["level"] = "error" }
        return TelemetryEvent(
            eventId: event.eventId, clientId: event.clientId, sessionId: event.sessionId, sequence: event.sequence,
            name: event.name, timestamp: event.timestamp, device: event.device, threadId: event.threadId,
            property1: event.property1, attributes: attributes, scenario: event.scenario, level: event.level)
    }

    /// The bytes that a subject searches.
    private static func texts(_ subject: some QuerySubject) -> [[UInt8]] {
        var texts: [[UInt8]] = []
        _ = subject.hasText {
            texts.append(Array($0))
            return false
        }
        return texts.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Checks that a line is judged as the event that it is decoded to. Returns whether it was not decoded.
    private static func check(_ line: some Collection<UInt8>, _ decoder: EventLineDecoder, _ comment: String) -> Bool {
        Array(line).withUnsafeBufferPointer { line in
            guard let context = decoder.context, let stored = StoredLine(line, below: context) else { return false }
            var decoder = decoder
            guard case .event(let event) = decoder.decode(line) else {
                #expect(Bool(false), "an event is read from a corrupt line: \(comment)")
                return true
            }
            #expect(stored.event == event, "\(comment)")
            for field in fields { #expect(stored.value(of: field) == event.value(of: field), "\(field): \(comment)") }
            let found = StoredEvent(stored)
            #expect(texts(found) == texts(event), "\(comment)")
            return true
        }
    }

    @Test("A line has the values and texts of its event, also after damage")
    func generated() throws {
        var generator = EventGenerator(seed: randomSeed)
        var random = SeededGenerator(seed: randomSeed)
        let events = (0..<2_000).map { _ in Self.event(&generator) }
        let lines = EventLines.encode(events).split(separator: 0x0A)
        var decoder = EventLineDecoder()
        var (judged, damaged) = (0, 0)
        for line in lines {
            let before = decoder
            let isEvent = line.withUnsafeBufferPointer { if case .event = decoder.decode($0) { true } else { false } }
            guard isEvent else { continue }
            if Self.check(line, before, "seed \(randomSeed)") { judged += 1 }
            for _ in 0..<3 {
                var other = Array(line)
                other[Int.random(in: other.indices, using: &random)] = UInt8.random(in: 0x20...0x7E, using: &random)
                if Self.check(other, before, "seed \(randomSeed): \(String(decoding: other, as: UTF8.self))") { damaged += 1 }
            }
        }
        #expect(judged > 1_500 && damaged > 500, "seed \(randomSeed): \(judged), \(damaged)")
    }

    @Test(
        "A line that is not an event below its header is not judged",
        arguments: [
            #"{"seq":1,"time":0,"name":9}"#, #"{"seq":1,"time":0,"name":0,"thread":9}"#,
            #"{"seq":1,"time":0,"name":0,"scenario":9}"#,
            #"{"seq":1,"id":2,"time":0,"name":0}"#, #"{"seq":1,"time":"2026-02-30T00:00:00Z","name":0}"#,
            #"{"seq":1,"time":-9000000000000,"name":0}"#, #"{"seq":1,"time":0,"name":0,"attributes":{"a":1,"a":2}}"#,
            #"{"seq":1,"time":0,"name":0,"attributes":{"a":1e999}}"#, #"{"seq":1,"time":0,"name":0,"attributes":{"a":{"b":1}}}"#,
        ])
    func others(line: String) throws {
        var tables = HeaderTables()
        tables.start = 1_795_600_800_000
        tables.names = try #require(TextTable(reading: ["n"]))
        let context = EventContext(
            clientId: "c", sessionId: "s", idPrefix: nil,
            device: TelemetryDeviceInfo(
                deviceType: "", deviceName: "", deviceModel: "", osVersion: "", appVersion: ""), threadId: "t", scenario: nil,
            level: .info, tables: tables)
        let bytes = Array(line.utf8)
        bytes.withUnsafeBufferPointer { #expect(StoredLine($0, below: context) == nil) }
        let valid = Array(#"{"seq":1,"time":0,"name":0,"attributes":{"a":1}}"#.utf8)
        valid.withUnsafeBufferPointer { #expect(StoredLine($0, below: context)?.value(of: .attribute("a")) == .int(1)) }
    }

    @Test("Lines that a search excludes have no event that matches")
    func search() throws {
        var random = SeededGenerator(seed: randomSeed)
        let words = [
            "timeout", "Card", "TIMEOUT", "caf\u{e9}", "\u{212a}elvin", "kelvin", "a_b", "A_B", "503", "time\"out", "inf", "-",
            "declined", "u47", "U47", "1e20",
        ]
        func phrase() -> String {
            (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(
                separator: [" ", "-", ""].randomElement(using: &random) ?? "")
        }
        let statuses: [TelemetryValue] = [
            .int(503), .bool(true), .double(.infinity), .double(1e20), .date(Date(timeIntervalSince1970: 1_795_600_800)),
        ]
        let events: [TelemetryEvent] = (0..<1_000).map { number in
            let attributes: [String: TelemetryValue] = ["user": .string(phrase()), "status": statuses[number % 5]]
            return TelemetryEvent(
                clientId: "c", sessionId: "s", sequence: UInt64(number), name: number % 3 == 0 ? phrase() : "n\(number % 2)",
                threadId: "t", property1: number % 4 == 0 ? phrase() : nil, attributes: number % 2 == 0 ? attributes : [:])
        }
        let queries = try [
            "timeout", "*imeou*", "\"timeout card\"", "kelvin", "a_b", "name:card", "user:*", "status:>=500", "true", "time",
            "inf",
            "user:in(cardcard, timeout)", "declined card", "declined or kelvin", "caf\u{e9}", "timeout -card",
            "u47", "user:=u47", "user:in(U47, u47u47u47)", "1e20", "status:=1e20", "00Z", "10T00", "status:=1e20 or u47",
            "e20u47",
        ].map { try TelemetryQuery($0) }
        var excluded = 0
        for query in queries {
            let search = LineSearch(query.literals)
            for event in events {
                let lines = EventLines.encode([event]).split(separator: 0x0A)
                var decoder = EventLineDecoder()
                for line in lines {
                    line.withUnsafeBufferPointer { line in
                        guard case .event = decoder.decode(line) else { return }
                        guard decoder.context.flatMap({ search?.below($0) })?.excludes(line) ?? false else { return }
                        excluded += 1
                        #expect(!query.matches(event), "seed \(randomSeed): \(query), \(event)")
                    }
                }
            }
        }
        #expect(excluded > 2_000, "seed \(randomSeed)")
        // Many queries at once exclude the same.
        var (all, single) = (StoredEventReader(queries.map(\.literals)), queries.map { StoredEventReader([$0.literals]) })
        for event in events {
            for line in EventLines.encode([event]).split(separator: 0x0A) {
                line.withUnsafeBufferPointer { line in
                    guard !all.readHeader(line) else {
                        for index in queries.indices { _ = single[index].readHeader(line) }
                        return
                    }
                    all.begin(line)
                    for (index, query) in queries.enumerated() {
                        single[index].begin(line)
                        let isExcluded = all.excludes(by: index)
                        #expect(isExcluded == single[index].excludes(by: 0), "seed \(randomSeed): \(query), \(event)")
                        excluded -= isExcluded ? 1 : 0
                    }
                }
            }
        }
        #expect(excluded == 0, "seed \(randomSeed)")
    }

    @Test("Letters are found in either case, wherever they stand")
    func letters() {
        func mayContain(_ letters: String, _ text: String) -> Bool {
            var pairs = LetterPairs()
            Array(text.utf8).withUnsafeBufferPointer { pairs.insert($0) }
            return pairs.mayContain(LetterSearch(Array(letters.utf8)).sample)
        }
        func isFound(_ letters: String, _ text: String) -> Bool {
            // The pairs exclude no bytes in which the letters are.
            let search = LetterSearch(Array(letters.utf8))
            return Array(text.utf8).withUnsafeBufferPointer(search.isFound) && mayContain(letters, text)
        }
        for text in ["timeout", "TIMEOUT", "tImEoUt", "a timeout", "timeou timeouts", "ttimeout"] {
            #expect(isFound("timeout", text))
        }
        for text in ["", "timeou", "imeout", "time out", "timeoux"] { #expect(!isFound("timeout", text), "\(text)") }
        #expect(isFound("a_b", "xA_Bx") && !isFound("a_b", "a\u{7f}b") && !isFound("a_b", "a?b"))
        #expect(isFound("u4711", "\"user\":\"U4711\"") && !isFound("u4711", "u4712 u711") && !isFound("4b", "\u{14}b"))
        #expect(!isFound("abc", "\u{1}bc") && !isFound("zzz", "::z"))
        // Most words are excluded by their pairs.
        for word in ["refused", "xyz", "sockets"] { #expect(!mayContain(word, "the request had a TIMEOUT"), "\(word)") }
    }
}

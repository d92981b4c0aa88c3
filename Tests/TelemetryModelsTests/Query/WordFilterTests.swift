import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

/// What the words of events say about queries.
struct WordFilterTests {
    private static let context = QueryContext(now: Date(timeIntervalSince1970: 100_000))

    private static func filter(_ events: [TelemetryEvent], maximumBytes: Int = .max) -> WordFilter? {
        var builder = WordFilter.Builder()
        for event in events { builder.add(event) }
        return builder.filter(maximumBytes: maximumBytes)
    }

    private static func cell(_ words: WordFilter?) -> QueryCell {
        let time = Date(timeIntervalSince1970: 0)
        return QueryCell(count: 1, level: .info, times: time...time, words: words)
    }

    private static func event(
        name: String, text: String? = nil, attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(sessionId: "s", name: name, threadId: "t", property1: text, attributes: attributes)
    }

    private static let sample = event(
        name: "request.finished", text: "Card declined: Caf\u{c9} \u{212a}elvin \u{30}",
        attributes: [
            "status": 503, "took": 1.5, "big": 1e16, "user": "4711", "below": -12.0, "text": "1.2e1", "flag": true, "odd": "-",
            "at": .date(Date(timeIntervalSince1970: 0)), "level": "Error", "infinite": .double(.infinity),
        ])

    @Test(
        "Words decide that no event matches, unless a match may lack them",
        arguments: [
            ("card", nil), ("CARD", nil), ("cards", false), ("car", false), ("car*", nil), ("*ard", nil), ("*cart", nil),
            ("\"card declined\"", nil), ("\"card denied\"", false), ("\". finished\"", nil), ("\".denied\"", false),
            ("*\"x declined\"", nil), ("*\"x denied\"", false), ("\"declined x\"*", nil), ("\"denied x\"*", false),
            ("*\" denied\"", false), ("*\"x\"*", nil), ("*\"a denied b\"*", false), ("card-declined", nil), ("\"\"", nil),
            ("\": \"", nil), ("caf\u{e9}", nil), ("caf\u{c9}", nil), ("cafe\u{301}", false), ("kelvin", nil),
            ("-cards", true), ("-card", nil), ("not (cards or carts)", true), ("card cards", false), ("card or cards", nil),
            ("name:card", nil), ("name:cards", false), ("text:cards", false), ("user:cards", false), ("none:cards", false),
            ("name:=card", nil), ("name:=cards", false), ("name:=request.failed", false), ("name:in(a, b)", false),
            ("name:in(a, \"-\")", nil), ("name:in()", false), ("odd:=\"-\"", nil), ("at:=1970-01-01T00:00:00.000Z", nil),
            ("at:=1970-01-02T00:00:00.000Z", false), ("flag:=true", nil), ("flag:=false", false),
            ("status:=503", nil), ("status:=503.0", nil), ("status:=5.03e2", nil), ("status:=5030e-1", nil),
            ("status:=00503", nil), ("status:in(1, 503)", nil), ("status:=504", false), ("status:in(7, 8)", false),
            ("below:=-12", nil), ("below:=12", nil), ("below:=-13", false), ("text:=12", nil), ("took:=1.5", nil),
            ("took:=2.5", nil), ("big:=1e16", nil), ("big:=10000000000000000", nil), ("big:=1e17", false),
            ("big:=1e19", nil), ("user:=4711.0", nil), ("user:=1e999", false), ("infinite:=inf", nil), ("infinite:=nan", false),
            ("status:503", nil), ("status:50*", nil), ("status:504", false),
            ("client:=cards", nil), ("session:cards", nil), ("scenario:=cards", nil), ("id:cards", nil), ("thread:cards", nil),
            ("device:cards", nil), ("app:cards", nil), ("severity:=alert", nil), ("severity:alert", nil), ("sequence:=504", nil),
            ("attributes.level:=alert", false), ("time:1970", nil), ("level:=cards", false), ("level:=info", true),
            ("~\"cards\"", nil), ("name:~\"cards\"", nil), ("cards:*", nil), ("cards:>5", nil), ("*", true), ("", true),
        ] as [(String, Bool?)])
    func decisions(text: String, expected: Bool?) throws {
        let filter = try #require(Self.filter([Self.sample]))
        let cell = Self.cell(filter)
        #expect(try TelemetryQuery(text).matches(cell, in: Self.context) == expected)
        let unknown = Self.cell(nil)
        if expected == false, !text.hasPrefix("level") {
            #expect(try TelemetryQuery(text).matches(unknown, in: Self.context) == nil)
        }
        #expect(try TelemetryQuery(text).usesWords || expected != false || text.hasPrefix("level"))
    }

    @Test("A known field decides before the words do")
    func known() throws {
        var cell = Self.cell(Self.filter([Self.sample]))
        cell.name = .init("other")
        #expect(try TelemetryQuery("name:=other").matches(cell, in: Self.context) == true)
    }

    /// A term about a value of an event, or about another one.
    private static func term(_ events: [TelemetryEvent], _ random: inout Generated) -> String {
        guard let event = events.randomElement(using: &random) else { return "" }
        let attribute = event.attributes.randomElement(using: &random)
        let (field, text) =
            [
                ("name", event.name), ("text", event.property1 ?? "x"),
                (attribute?.key ?? "none", attribute?.value.queryText ?? "y"),
            ]
            .randomElement(using: &random) ?? ("", "")
        func quoted(_ text: String) -> String {
            "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
        let prefix = random.bool() ? "" : quoted(field.isEmpty ? "none" : field) + ":"
        if random.bool() { return (prefix.isEmpty ? "name:" : prefix) + "=" + quoted(text) }
        let scalars = Array(text.unicodeScalars)
        let places = [0, scalars.count, Int.random(in: 0...scalars.count, using: &random)].shuffled(using: &random)
        var phrase = String.UnicodeScalarView()
        phrase.append(contentsOf: scalars[min(places[0], places[1])..<max(places[0], places[1])])
        // Another case, and sometimes another word.
        let changed = random.bool() ? String(phrase) : String(phrase).uppercased()
        let end = Int.random(in: 0..<8, using: &random) == 0 ? "q" : ""
        return prefix + (random.bool() ? "*" : "") + quoted(changed + end) + (random.bool() ? "*" : "")
    }

    private static let numbers = [
        "503", "503.0", "5.03e2", "0503", "50300e-2", "-503", "-503.0", "0", "-0", "0.0", "1e18", "1e19",
    ]

    private static func event(_ random: inout Generated) -> TelemetryEvent {
        var attributes = random.fields()
        let number = numbers.randomElement(using: &random) ?? ""
        attributes["number"] = random.bool() ? .string(number) : Double(number).map(TelemetryValue.double)
        return event(name: random.text(), text: random.optional { $0.text() }, attributes: attributes)
    }

    @Test("No event is lost by its words, and a decision holds for all events", arguments: 0..<40)
    func random(stream: Int) throws {
        var random = Generated(stream: 300 + UInt64(stream))
        let events = (0..<6).map { _ in Self.event(&random) }
        let filter = try #require(Self.filter(events))
        var excluded = 0
        for index in 0..<150 {
            var text = Self.term(index % 3 == 0 ? [Self.event(&random)] : events, &random)
            if index % 4 == 0 { text = "number:=\(Self.numbers.randomElement(using: &random) ?? "")" }
            if index % 5 == 0 { text = "-\(text)" }
            if index % 7 == 0 { text += (random.bool() ? " or " : " ") + Self.term(events, &random) }
            // Two stars at a quoted end, and texts that are too long, are errors.
            guard let query = try? TelemetryQuery(text) else { continue }
            guard let decision = query.matches(Self.cell(filter), in: Self.context) else { continue }
            excluded += 1
            #expect(
                events.allSatisfy { query.matches($0, in: Self.context) == decision }, "\(query), seed \(randomSeed)")
        }
        #expect(excluded > 0)
    }

    /// Events with words of their own, and how many of other words seem to be among them.
    private static func falseRate(wordsEach: Int) throws -> (rate: Double, bytesEach: Double)? {
        let count = 400
        let events = (0..<count).map { index in
            event(name: (0..<wordsEach).map { "w\(index * wordsEach + $0)" }.joined(separator: " "))
        }
        guard let filter = filter(events, maximumBytes: 8 * count) else { return nil }
        #expect(try TelemetryQuery("w0").matches(cell(filter), in: context) == nil)
        let found = try (0..<10_000).count { try TelemetryQuery("x\($0)").matches(cell(filter), in: context) == nil }
        return (Double(found) / 10_000, Double(filter.bytes.count) / Double(count))
    }

    @Test("About one in a hundred of other words seems to be there; more if the events have many words")
    func falsePositives() throws {
        let few = try #require(try Self.falseRate(wordsEach: 4))
        #expect((0.006...0.014).contains(few.rate))
        #expect((4.8...4.9).contains(few.bytesEach))
        let many = try #require(try Self.falseRate(wordsEach: 20))
        #expect((0.15...0.27).contains(many.rate))
        #expect((7.9...8).contains(many.bytesEach))
        #expect(try Self.falseRate(wordsEach: 65) == nil)
    }

    @Test("The stored form does not change between versions, because stores keep it")
    func storedForm() throws {
        let filter = try #require(Self.filter([Self.event(name: "Card declined", text: "caf\u{e9}", attributes: ["n": 5.0])]))
        #expect(Array(filter.bytes) == [7, 6, 0, 0, 0, 114, 155, 46, 46, 89, 245])
        #expect(WordFilter(filter.bytes) == filter)
        let slice = (Data([9, 9]) + filter.bytes).dropFirst(2)
        #expect(try TelemetryQuery("card").matches(Self.cell(WordFilter(slice)), in: Self.context) == nil)
        #expect(try TelemetryQuery("cards").matches(Self.cell(WordFilter(slice)), in: Self.context) == false)
    }

    @Test("Events without words, and none, have a filter too")
    func empty() throws {
        for filter in [Self.filter([]), Self.filter([Self.event(name: "-")])] {
            let filter = try #require(filter)
            let cell = Self.cell(filter)
            #expect(try TelemetryQuery("card").matches(cell, in: Self.context) == false)
            #expect(try TelemetryQuery("name:=\"-\"").matches(cell, in: Self.context) == nil)
        }
    }

    @Test("Damaged bytes are no filter, or one that says something else")
    func damage() throws {
        let bytes = try #require(Self.filter([Self.sample])).bytes
        for count in 0..<bytes.count { #expect(WordFilter(bytes.prefix(count)) == nil) }
        #expect(WordFilter(bytes + [0]) == nil)
        for header in [[], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 1], [8, 1, 0, 0, 0, 1], [255, 255, 255, 255, 255, 1]] as [[UInt8]] {
            #expect(WordFilter(Data(header)) == nil)
        }
        var random = Generated(stream: 350)
        for _ in 0..<500 {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = try TelemetryQuery("card").matches(Self.cell(WordFilter(damaged)), in: Self.context)
        }
    }
}

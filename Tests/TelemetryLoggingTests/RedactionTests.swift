import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// What a logger removes before it keeps an event.
struct RedactionTests {
    let directory = TemporaryDirectory()

    /// Logs one event, and returns it as it was stored.
    private func stored(
        _ redaction: TelemetryRedaction, scenario: String? = "Net", text: String? = nil,
        _ attributes: [String: TelemetryValue] = [:]
    ) async throws -> TelemetryEvent {
        let bench = await Bench.active(.init(redaction: redaction))
        await bench.logger.updateScenarioStates(["Net": true, "Other": true])
        bench.logger.logEvent(name: "a@b.c", scenario: scenario, level: .info, property1: text, attributes: attributes)
        await bench.logger.flush()
        return try #require(try await bench.stored.first)
    }

    private func isPseudonym(_ text: String?) -> Bool { text?.wholeMatch(of: /#[0-9a-f]{12}/) != nil }

    @Test("Attributes are treated by their name in any case, and others as the redaction says")
    func byName() async throws {
        let attributes: [String: TelemetryValue] = [
            "userID": 4711, "Card": "4111", "path": "/a", "isNew": true, "at": .date(.now), "ratio": 0.5,
        ]
        let event = try await stored(.init(attributes: ["USERID": .hash, "card": .remove]), attributes)
        #expect(isPseudonym(event.attributes["userID"]?.stringValue))
        #expect(event.attributes["Card"] == "<redacted>")
        #expect(
            event.attributes.filter { !["userID", "Card"].contains($0.key) }
                == attributes.filter { !["userID", "Card"].contains($0.key) })

        let strict = try await stored(.init(attributes: ["Path": .keep], otherAttributes: .remove), attributes)
        #expect(strict.attributes == attributes.mapValues { _ in "<redacted>" }.merging(["path": "/a"]) { $1 })

        let hashed = try await stored(.init(otherAttributes: .hash), attributes)
        #expect(hashed.attributes.values.allSatisfy { isPseudonym($0.stringValue) })
        #expect(Set(hashed.attributes.values).count == attributes.count)
    }

    @Test("Of two treatments for names that differ only in case, the stricter one applies")
    func twoCases() async throws {
        let event = try await stored(
            .init(attributes: ["id": .keep, "ID": .hash, "KEY": .hash, "key": .remove]), ["id": "1", "Key": "2"])
        #expect(isPseudonym(event.attributes["id"]?.stringValue) && event.attributes["Key"] == "<redacted>")
    }

    @Test("What applies to a name applies to the names nested in it, unless they have a treatment of their own")
    func nested() async throws {
        let attributes: [String: TelemetryValue] = ["user.name": "a", "User.ID": "b", "users": "c", "user": "d", "a.user": "e"]
        let event = try await stored(.init(attributes: ["user": .remove, "user.id": .keep]), attributes)
        #expect(event.attributes == attributes.merging(["user.name": "<redacted>", "user": "<redacted>"]) { $1 })
        #expect(
            try await stored(.init(allowed: ["Net": ["User"]]), attributes).attributes.keys.sorted() == [
                "User.ID", "user", "user.name",
            ])
    }

    @Test("Only allowed attributes stay in a scenario that has a list")
    func allowed() async throws {
        let redaction = TelemetryRedaction(attributes: ["b": .remove], allowed: ["Net": ["A", "b"]])
        let attributes: [String: TelemetryValue] = ["a": 1, "B": 2, "c": 3]
        #expect(try await stored(redaction, attributes).attributes == ["a": 1, "B": "<redacted>"])
        #expect(try await stored(redaction, scenario: "Other", attributes).attributes == ["a": 1, "B": "<redacted>", "c": 3])
        #expect(try await stored(redaction, scenario: nil, attributes).attributes == ["a": 1, "B": "<redacted>", "c": 3])
        #expect(try await stored(.init(allowed: ["Net": []]), attributes).attributes.isEmpty)
    }

    @Test("Patterns apply to the text and to strings of attributes, not to names and other values")
    func patterns() async throws {
        let event = try await stored(
            .init(patterns: [.emailAddress: .remove, .creditCard: .remove]), text: "from a@b.c to d@e.f",
            ["a@b.c": "x", "mail": "a@b.c!", "card": .int(4_111_111_111_111_111), "kept": "a@b"])
        #expect(event.name == "a@b.c" && event.property1 == "from <redacted> to <redacted>")
        #expect(event.attributes == ["a@b.c": "x", "mail": "<redacted>!", "card": .int(4_111_111_111_111_111), "kept": "a@b"])
    }

    @Test("Patterns apply to strings whose attributes are declared to stay")
    func keptByName() async throws {
        let event = try await stored(.init(attributes: ["mail": .keep], patterns: [.emailAddress: .remove]), ["mail": "a@b.c"])
        #expect(event.attributes == ["mail": "<redacted>"])
    }

    @Test("A pattern that stays is not replaced")
    func keptPattern() async throws {
        let redaction = TelemetryRedaction(patterns: [.emailAddress: .keep, .urlQuery: .remove])
        #expect(try await stored(redaction, text: "a@b.c http://h?q=a@b.c").property1 == "a@b.c http://h?<redacted>")
    }

    @Test("The standard redaction removes what gives access, and gives email addresses pseudonyms")
    func standard() async throws {
        let text = "a@b.c Bearer 123456789 eyJhbGciOi.eyJh.sig 4111 1111 1111 1111 https://u:p@h.com/x?q=1 10.0.0.1"
        let redacted = try #require(try await stored(.standard, text: text).property1)
        let expected =
            /#[0-9a-f]{12} Bearer <redacted> <redacted> <redacted> https:\/\/<redacted>@h\.com\/x\?<redacted> 10\.0\.0\.1/
        #expect(redacted.wholeMatch(of: expected) != nil, "\(redacted)")
    }

    @Test("Equal values have equal pseudonyms, wherever they occur")
    func equalPseudonyms() async throws {
        let event = try await stored(
            .init(attributes: ["user": .hash, "id": .hash, "other": .hash], patterns: [.emailAddress: .hash]),
            text: "a@b.c, a@b.c, d@e.f",
            ["user": "a@b.c", "id": 4711, "other": "4711"])
        let parts = try #require(event.property1).components(separatedBy: ", ")
        #expect(parts[0] == parts[1] && parts[0] != parts[2] && parts.allSatisfy(isPseudonym))
        #expect(event.attributes["user"]?.stringValue == parts[0])
        #expect(event.attributes["id"] == event.attributes["other"])
    }

    @Test("A pseudonym is the HMAC-SHA256 under the stored secret")
    func code() async throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let secret = Array(UInt8(0)..<32)
        try Data(secret).write(to: directory.url(of: "pseudonyms.secret"))
        let bench = await Bench.active(.init(spoolDirectory: directory.url, redaction: .init(otherAttributes: .hash)))
        bench.logger.logEvent(name: "event", scenario: nil, level: .info, property1: nil, attributes: ["user": "4711"])
        await bench.logger.flush()
        // HMAC-SHA256 of "4711" under the bytes 0 to 31, computed by Python's `hmac`.
        #expect(try await bench.stored.first?.attributes == ["user": "#6d45b7f8862d"])
    }

    @Test("The hook receives the event redacted, and what it returns is not redacted again")
    func hook() async throws {
        let received = Mutex<String?>(nil)
        let bench = await Bench.active(
            .init(
                process: { event in
                    received.withLock { $0 = event.property1 }
                    event = TelemetryEvent(eventId: "", sessionId: "", name: event.name, property1: "by the host: d@e.f")
                    return true
                }, redaction: .init(patterns: [.emailAddress: .remove])))
        bench.logger.logEvent(name: "event", property1: "a@b.c")
        await bench.logger.flush()
        #expect(received.withLock(\.self) == "<redacted>")
        #expect(try await bench.stored.map(\.property1) == ["by the host: d@e.f"])
    }

    @Test("A long string is redacted before it is truncated, so that no part of a secret stays")
    func truncated() async throws {
        let bench = await Bench.active(.init(maximumPropertyBytes: 64, redaction: .standard))
        bench.logger.logEvent(name: "event", property1: String(repeating: "x", count: 50) + " 4111 1111 1111 1111")
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.property1) == [String(repeating: "x", count: 50) + " <redacted>"])
    }

    @Test("What is removed is in no file of the spool, the recorder and the store")
    func nowhere() async throws {
        let store = try FileTelemetryTransport(directory: directory.url(of: "store"))
        var redaction = TelemetryRedaction(
            attributes: ["password": .remove],
            patterns: Dictionary(uniqueKeysWithValues: TelemetryRedaction.Pattern.allCases.map { ($0, .remove) }))
        redaction.patterns[.emailAddress] = .hash
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: directory.url(of: "spool"), redaction: redaction), transport: store,
            clock: ManualClock(),
            now: { TelemetryFixtures.date })
        await logger.setRecordedScenarios(["Recorded"], level: .diagnostic)
        await logger.setClientIdentifier("client")
        await logger.updateScenarios(["On": .init(isEnabled: true, level: .diagnostic)])
        await logger.activate(enabled: true)
        for scenario in ["On", "Recorded"] {
            for text in Self.secretTexts {
                logger.logEvent(
                    name: "event", scenario: scenario, level: .diagnostic, property1: "in \(scenario): \(text)",
                    attributes: [
                        "text": .string(text), "Password": "hunter1", "long": .string(String(repeating: "x ", count: 600) + text),
                    ])
            }
        }
        for file in ["spool", "spool/recorder"] { #expect(try TemporaryDirectory.contains("in ", in: directory.url(of: file))) }
        for secret in Self.secrets { #expect(try !directory.contains(secret), "a file has \(secret)") }
        #expect(await logger.dumpRecorded("Recorded", lookback: nil) == Self.secretTexts.count)
        await logger.shutdown()
        let events = try await store.events(matching: .all, after: nil, limit: .max).events
        #expect(events.count == 2 * Self.secretTexts.count)
        for secret in Self.secrets {
            #expect(try !directory.contains(secret), "a file has \(secret)")
            #expect(!"\(events)".contains(secret), "an event has \(secret)")
        }
    }

    private static let secretTexts = [
        "mail someone@example.com", "Bearer tok.SECRET-77", "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl", "4111111111111111",
        "5555-5555-5555-4444",
        "10.20.30.40", "2001:db8::77:1", "https://admin:hunter2@host.invalid/",
        "https://host.invalid/path?session=hunter3#hunter4",
    ]
    private static let secrets = [
        "someone@example.com", "tok.SECRET-77", "eyJhbGciOi", "c2lnbmF0dXJl", "4111111111111111", "5555-5555-5555-4444",
        "10.20.30.40",
        "2001:db8::77:1", "hunter",
    ]

    @Test("The logger's own reports keep their attributes")
    func ownEvents() async throws {
        let bench = Bench(.init(memoryLimit: 128 << 10, redaction: .init(otherAttributes: .remove)))
        for number in 1...5_000 { bench.logger.logEvent(name: "\(number)", property1: String(repeating: "x", count: 50)) }
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        let report = try #require(try await bench.stored.last)
        #expect(report.name == TelemetryLogger.droppedEventName && report.attributes["full"]?.intValue != nil)
    }

    @Test("A backtrace is redacted before it is cut, and a line that was read in part is left out")
    func backtrace() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let redactor = try #require(Redactor(.init(patterns: [.creditCard: .remove]), spoolDirectory: nil))
        let text = "Fatal error: 4111 1111 1111 1111\nnext 4111 1111 1111 1111\n"
        try Data(text.utf8).write(to: directory.url(of: "host-77-1.0.log"))
        let reports = BacktraceReports(environment: ["SWIFT_BACKTRACE": "output-to=\(directory.url.path)"])
        let now = Date().timeIntervalSinceReferenceDate
        for limit in 0...100 {
            let cut = try #require(reports.text(ofProcess: 77, since: now - 60, limit: limit, redacted: redactor.redacted))
            #expect(!cut.contains("4111"), "\(limit)")
        }
        #expect(
            reports.text(ofProcess: 77, since: now - 60, redacted: redactor.redacted)
                == "Fatal error: <redacted>\nnext <redacted>\n")
        #expect(
            reports.text(ofProcess: 77, since: now - 60, limit: 40, redacted: redactor.redacted) == "Fatal error: <redacted>\n…")
    }

    @Test("A redaction that keeps everything changes nothing")
    func none() {
        #expect(Redactor(.none, spoolDirectory: nil) == nil)
        #expect(Redactor(.init(attributes: ["a": .keep], patterns: [.emailAddress: .keep]), spoolDirectory: nil) == nil)
        #expect(Redactor(.init(allowed: ["Net": []]), spoolDirectory: nil) != nil)
        #expect(TelemetryLogger.Configuration.default.redaction == .none)
    }
}

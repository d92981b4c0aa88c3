import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct PrivacyCommandTests {
    private static let secrets = ["a@b.example", "4111 1111 1111 1111", "10.1.2.3", "hunter2", "tok-12345678", "c@d.example"]

    private func store(_ events: [TelemetryEvent], in folder: URL) async throws -> String {
        let url = folder.appendingPathComponent("store")
        try await FileTelemetryTransport(directory: url).append(events)
        return url.path
    }

    private func event(
        _ number: Int, _ name: String = "signed.in", text: String? = nil, _ attributes: [String: TelemetryValue] = [:],
        scenario: String? = "Login"
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(number)", clientId: "c", sessionId: "s", sequence: UInt64(number), name: name, property1: text,
            attributes: attributes, scenario: scenario)
    }

    @Test("doctor --privacy counts what looks like personal data, and shows none of it")
    func counts() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let path = try await store(
                [
                    event(1, text: "user a@b.example", ["mail": "a@b.example", "from": "10.1.2.3"]),
                    event(2, text: "user a@b.example and a@b.example"),
                    event(
                        3, "paid", text: "nothing here", ["card": "4111 1111 1111 1111", "number": .int(4_111_111_111_111_111)]),
                    event(4, "requested", ["url": "https://me:hunter2@h/", "header": "Bearer tok-12345678"], scenario: nil),
                    event(5, "mail.c@d.example", ["x-c@d.example": "1"], scenario: "To c@d.example"),
                ], in: folder)
            let result = try await ToolProcess.run("doctor", "--privacy", "-d", path)
            #expect(result.code == 1)
            for secret in Self.secrets { #expect(!(result.output + result.errors).contains(secret)) }
            let rows = result.output.split(separator: "\n").dropFirst().map {
                $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
            #expect(
                rows == [
                    "Login signed.in text an email address 2",
                    "– requested attribute header a bearer token 1",
                    "– requested attribute url credentials in a URL 1",
                    "Login paid attribute card a card number 1",
                    "Login signed.in attribute from an IP address 1",
                    "Login signed.in attribute mail an email address 1",
                    "… … name an email address 1",
                    "… … attribute …, its name an email address 1",
                ])
            #expect(
                result.errors.contains(
                    "  loggerConfiguration.redaction = .standard\n  loggerConfiguration.redaction.patterns[.ipAddress] = .hash\n")
            )
            #expect(result.errors.contains("Names are recorded as they are"))
        }
    }

    @Test("The JSON lines of doctor --privacy have one object for each place and pattern")
    func json() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let path = try await store([event(1, text: "a@b.example", ["mail": "a@b.example"])], in: folder)
            let result = try await ToolProcess.run("doctor", "--privacy", "-d", path, "-o", "json")
            #expect(
                result.output == """
                    {"scenario":"Login","event":"signed.in","isName":false,"pattern":"emailAddress","events":1}
                    {"scenario":"Login","event":"signed.in","attribute":"mail","isName":false,"pattern":"emailAddress","events":1}

                    """)
            #expect(result.errors.contains("loggerConfiguration.redaction = .standard\n") && result.code == 1)
        }
    }

    @Test("What a redaction has treated is not counted")
    func redacted() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let texts = [
                "Bearer <redacted>", "https://<redacted>@h/x?<redacted>", "<redacted>", "#0123456789ab",
                "card <redacted>, https://h/?<redacted>", "https://h/u/#65c1a6afaaf8/x",
            ]
            let path = try await store(texts.enumerated().map { event($0 + 1, text: $1) }, in: folder)
            let result = try await ToolProcess.run("doctor", "--privacy", "-d", path)
            #expect(result.code == 0 && result.output.isEmpty)
            #expect(result.errors == "Nothing in 6 events looks like personal data or a token.\n")
        }
    }
}

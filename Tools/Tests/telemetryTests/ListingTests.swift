import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct ListingTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private func fill(_ store: URL) async throws {
        let transport = try FileTelemetryTransport(directory: store)
        try await transport.createTelemetryClient(clientId: "k7wq", created: Self.start, isEnabled: true)
        try await transport.createTelemetryClient(clientId: "new\u{1B}[2J", created: Self.start + 1, isEnabled: false)
        try await transport.createScenarios([
            .init(clientId: "k7wq", scenarioName: "FileRead", isEnabled: true, created: Self.start),
            .init(clientId: "k7wq", scenarioName: "Checksum", isEnabled: false, created: Self.start),
        ])
        try await transport.createCommand(
            .init(
                commandId: "c1", clientId: "k7wq", action: .enableScenario, scenarioName: "FileRead", created: Self.start,
                status: .executed, executedAt: Self.start + 0.012))
        try await transport.createCommand(
            .init(
                commandId: "c2", clientId: "k7wq", action: .deleteEvents, created: Self.start + 5, status: .failed,
                errorMessage: "busy"))
        try await transport.append([
            event(1, "file.read", "/etc/hosts", "FileRead", .info, ["bytes": 120]),
            event(2, "file.hashed", nil, "Checksum", .diagnostic, [:]),
            event(3, "hello", "two\nlines", nil, .info, [:]),
        ])
    }

    private func event(
        _ number: UInt64, _ name: String, _ text: String?, _ scenario: String?, _ level: TelemetryLogLevel,
        _ attributes: [String: TelemetryValue]
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e\(number)", clientId: "k7wq", sessionId: "s", sequence: number, name: name,
            timestamp: Self.start + Double(number),
            device: .init(deviceType: "Linux", deviceName: "box", deviceModel: "x", osVersion: "1", appVersion: "host"),
            property1: text, attributes: attributes, scenario: scenario, level: level)
    }

    @Test(
        "The lists are printed as tables",
        arguments: [
            (
                ["clients"],
                """
                CLIENT        STATE                      LAST SEEN         APP   DEVICE  SCENARIOS ENABLED  EVENTS  REQUESTED
                new\\u{1B}[2J  pending approval           –                 –     –                  0 of 0       0  2026-01-01 00:00
                k7wq          not seen since 2026-01-01  2026-01-01 00:00  host  box                1 of 2       3  2026-01-01 00:00

                """
            ),
            (
                ["scenarios"],
                """
                CLIENT  SCENARIO  STATE     LEVEL       TIME LEFT  DECIDED BY
                k7wq    Checksum  disabled  –           –          –
                k7wq    FileRead  enabled   diagnostic  –          –

                """
            ),
            (
                ["commands"],
                """
                COMMAND  SENT                 CLIENT  ACTION          SCENARIO  STATUS    ISSUER  ANSWER
                c1       2026-01-01 00:00:00  k7wq    enableScenario  FileRead  executed  –       after 12 ms
                c2       2026-01-01 00:00:05  k7wq    delete_events   –         failed    –       busy

                """
            ),
            (
                ["sessions"],
                """
                SESSION  CLIENT  FIRST             DURATION  EVENTS  MISSING  DROPPED  APP   DEVICE
                s        k7wq    2026-01-01 00:00     2.0 s       3        0        0  host  box

                """
            ),
            (
                ["events"],
                """
                TIME          CLIENT      SCENARIO        LEVEL       NAME            TEXT                            ATTRIBUTES
                00:00:01.000  k7wq        FileRead        info        file.read       /etc/hosts                      bytes=120
                00:00:02.000  k7wq        Checksum        diagnostic  file.hashed
                00:00:03.000  k7wq        –               info        hello           two\\nlines

                """
            ),
            (
                ["events", "--scenario", "Checksum", "--scenario", "FileRead", "--level", "info", "--client", "k"],
                """
                TIME          CLIENT      SCENARIO        LEVEL       NAME            TEXT                            ATTRIBUTES
                00:00:01.000  k7wq        FileRead        info        file.read       /etc/hosts                      bytes=120

                """
            ),
        ])
    func lists(arguments: [String], expected: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await fill(store)
            let result = try await ToolProcess.run(arguments, environment: ["LIVE_TELEMETRY_STORE": store.path])
            #expect(result.code == 0)
            #expect(result.errors == "")
            #expect(result.output == expected)
        }
    }

    @Test(
        "An empty store is reported on standard error, and standard output stays empty",
        arguments: ["clients", "scenarios", "commands", "events"])
    func empty(command: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            _ = try FileTelemetryTransport(directory: folder)
            let result = try await ToolProcess.run(command, "-d", folder.path)
            #expect(result.code == 0)
            #expect(result.output == "")
            #expect(result.errors.hasSuffix(".\n"))
        }
    }
}

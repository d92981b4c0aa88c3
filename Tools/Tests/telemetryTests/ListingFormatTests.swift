import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct ListingFormatTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private static let long = String(repeating: "x", count: 300)

    private func fill(_ store: URL) async throws {
        let transport = try FileTelemetryTransport(directory: store)
        try await transport.createTelemetryClient(clientId: "k7wq", created: Self.start, isEnabled: true)
        try await transport.createScenarios([
            .init(
                clientId: "k7wq", scenarioName: Self.long, isEnabled: true, created: Self.start, level: .info,
                expires: Self.start + 60, source: .viewer)
        ])
        try await transport.createCommand(
            .init(
                commandId: "c1", clientId: "k7wq", action: .enableScenario, scenarioName: "A", created: Self.start,
                status: .failed, executedAt: Self.start + 0.25, errorMessage: "a\u{1B}\"b"))
        try await transport.createRule(
            TelemetryRuleRecord(
                ruleId: "r1", scenarioName: "A", conditions: [.init("appVersion", .atLeast, ["2.1"])], created: Self.start))
        try await transport.append(
            (1...2).map { number in
                TelemetryEvent(
                    eventId: "e\(number)", clientId: "k7wq", sessionId: "s", sequence: number * 2, name: "n",
                    timestamp: Self.start + Double(number),
                    device: .init(deviceType: "Linux", deviceName: "box", deviceModel: "x", osVersion: "1", appVersion: "host"),
                    scenario: "A")
            })
    }

    @Test(
        "With --format json a list is one object per line with the documented names, and nothing is truncated",
        arguments: [
            (
                ["scenarios"],
                [
                    #"{"clientid":"k7wq","scenarioName":"\#(long)","isEnabled":true,"logLevel":"info","#
                        + #""created":"2026-01-01T00:00:00.000Z","expires":"2026-01-01T00:01:00.000Z","source":"viewer"}"#
                ]
            ),
            (
                ["commands", "-o", "json"],
                [
                    #"{"commandId":"c1","clientid":"k7wq","action":"enableScenario","scenarioName":"A","status":"failed","#
                        + #""created":"2026-01-01T00:00:00.000Z","executedAt":"2026-01-01T00:00:00.250Z","#
                        + #""errorMessage":"a\u001b\"b"}"#
                ]
            ),
            (
                ["sessions"],
                [
                    #"{"sessionId":"s","clientid":"k7wq","first":"2026-01-01T00:00:01.000Z","#
                        + #""last":"2026-01-01T00:00:02.000Z","events":2,"missing":1,"dropped":0,"appVersion":"host","#
                        + #""deviceName":"box"}"#
                ]
            ),
            (
                ["stats"],
                [
                    #"{"kind":"scenario","scenario":"A","events":2,"diagnostic":0,"perSecond":1.0,"#
                        + #""first":"2026-01-01T00:00:01.000Z","last":"2026-01-01T00:00:02.000Z"}"#,
                    #"{"kind":"client","clientid":"k7wq","events":2,"diagnostic":0,"perSecond":1.0,"#
                        + #""first":"2026-01-01T00:00:01.000Z","last":"2026-01-01T00:00:02.000Z"}"#,
                    #"{"kind":"hour","start":"2026-01-01T00:00:00.000Z","events":2}"#,
                    #"{"kind":"total","sessions":1,"missing":1,"dropped":0,"events":2,"diagnostic":0,"perSecond":1.0,"#
                        + #""first":"2026-01-01T00:00:01.000Z","last":"2026-01-01T00:00:02.000Z"}"#,
                ]
            ),
            (
                ["rule", "list"],
                [
                    #"{"ruleId":"r1","scenarioName":"A","logLevel":"diagnostic","percentage":100.0,"isEnabled":true,"#
                        + #""created":"2026-01-01T00:00:00.000Z","conditions":["appVersion>=2.1"],"isReadable":true,"#
                        + #""applicable":0,"clients":0}"#
                ]
            ),
        ])
    func objects(arguments: [String], expected: [String]) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await fill(store)
            let format = arguments.contains("-o") ? [] : ["--format", "json"]
            let result = try await ToolProcess.run(arguments + format, environment: ["LIVE_TELEMETRY_STORE": store.path])
            #expect(result.errors == "")
            #expect(result.lines == expected)
            for line in result.lines {
                #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
            }
        }
    }

    @Test("doctor --format json prints one finding per line and nothing else")
    func findings() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await fill(store)
            let result = try await ToolProcess.run("doctor", "--format", "json", "-d", store.path)
            let severities = try result.lines.map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(object?["text"] is String)
                return object?["severity"] as? String
            }
            #expect(severities.contains("ok"))
            #expect(severities.allSatisfy { ["ok", "warning", "error"].contains($0) })
        }
    }
}

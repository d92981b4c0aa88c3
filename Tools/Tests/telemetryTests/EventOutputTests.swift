import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct EventOutputTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private static let device = TelemetryDeviceInfo(
        deviceType: "Linux", deviceName: "box", deviceModel: "x86_64", osVersion: "12", appVersion: "host 1")

    private func events(_ count: Int) -> [TelemetryEvent] {
        (1...count).map { (number: Int) -> TelemetryEvent in
            let attributes: [String: TelemetryValue] = ["at": .date(Self.start), "ratio": 0.5, "whole": .double(2), "ok": true]
            return TelemetryEvent(
                eventId: "e\(number)", clientId: "k7wq", sessionId: "s", sequence: UInt64(number), name: "step",
                timestamp: Self.start + Double(number) / 4, device: Self.device, threadId: "7",
                property1: number == 1 ? "=1+1,\"quoted\"\nline" : "text \(number)",
                attributes: number == 1 ? attributes : [:],
                scenario: number == 2 ? nil : "A", level: number == 3 ? .diagnostic : .info)
        }
    }

    private func run(_ arguments: String..., count: Int = 3) async throws -> ToolProcess.Result {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await FileTelemetryTransport(directory: store).append(events(count))
            return try await ToolProcess.run(["events"] + arguments + ["-d", store.path])
        }
    }

    @Test("JSON output has one object per line, which decodes as the original event")
    func json() async throws {
        let result = try await run("--format", "json")
        #expect(
            result.lines[1] == """
                {"eventId":"e2","clientid":"k7wq","sessionId":"s","sequence":2,"eventName":"step",\
                "eventTimestamp":"2026-01-01T00:00:00.500Z","logLevel":"info","property1":"text 2","threadId":"7",\
                "deviceType":"Linux","deviceName":"box","deviceModel":"x86_64","osVersion":"12","appVersion":"host 1"}
                """)
        let decoded = try result.lines.map { try JSONDecoder().decode(TelemetryEvent.self, from: Data($0.utf8)) }
        #expect(decoded == events(3))
    }

    @Test("CSV cells are quoted if necessary and protected from being read as formulas")
    func csv() async throws {
        let result = try await run("--format", "csv", "--columns", "date,scenario,text,attributes", "--limit", "2")
        #expect(
            result.output == "date,scenario,text,attributes\r\n"
                + "2026-01-01T00:00:00.250Z,A,\"'=1+1,\"\"quoted\"\"\nline\","
                + "\"{\"\"at\"\":{\"\"date\"\":\"\"2026-01-01T00:00:00.000Z\"\"},\"\"ok\"\":true,\"\"ratio\"\":0.5,"
                + "\"\"whole\"\":{\"\"double\"\":2.0}}\"\r\n"
                + "2026-01-01T00:00:00.500Z,,text 2,\r\n")
    }

    @Test(
        "Options filter events",
        arguments: [
            (["--grep", "TEXT 2"], ["2"]),
            (["--since", "2026-01-01T00:00:00.500Z"], ["2", "3"]),
            (["--until", "2026-01-01T00:00:00.500Z"], ["1"]),
            (["--last", "2"], ["2", "3"]),
            (["--limit", "2"], ["1", "2"]),
            (["--level", "diagnostic"], ["3"]),
            (["--name", "step", "--scenario", "A"], ["1", "3"]),
            (["--session", "other"], []),
            (["--grep", "ratio"], ["1"]),
        ])
    func choosing(options: [String], numbers: [String]) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await FileTelemetryTransport(directory: folder).append(events(3))
            let result = try await ToolProcess.run(
                ["events", "--format", "csv", "--columns", "sequence", "-d", folder.path] + options)
            #expect(result.output.split(separator: "\r\n").dropFirst().map(String.init) == numbers)
        }
    }

    @Test("A saved cursor continues exactly after the last printed event")
    func cursors() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder.appendingPathComponent("store"))
            try await transport.append(events(5))
            let position = folder.appendingPathComponent("position").path
            func next(_ options: String...) async throws -> [String] {
                let result = try await ToolProcess.run(
                    ["events", "--format", "csv", "--columns", "id", "--cursor-file", position, "-d", folder.path + "/store"]
                        + options)
                #expect(result.code == 0, "\(result.errors)")
                return result.output.split(separator: "\r\n").dropFirst().map(String.init)
            }
            #expect(try await next("--limit", "2") == ["e1", "e2"])
            #expect(try await next("--limit", "1", "--grep", "text 4") == ["e4"])
            #expect(try await next() == ["e5"])
            #expect(try await next() == [])
            try await transport.append(events(6))
            #expect(try await next() == ["e6"])
        }
    }

    @Test(
        "Wrong options are usage errors",
        arguments: [
            ["--columns", "nope"], ["--since", "soon"], ["--limit", "0"], ["--format", "xml"],
            ["--after", "a", "--cursor-file", "b"], ["--format", "json", "--columns", "name"], ["--columns", ""],
        ])
    func wrong(options: [String]) async throws {
        let result = try await ToolProcess.run(["events", "-d", "/tmp"] + options)
        #expect(result.code == 64)
    }
}

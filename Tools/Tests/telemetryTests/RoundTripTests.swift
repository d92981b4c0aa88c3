import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct RoundTripTests {
    @Test("The demo loses and duplicates no event, and records none while disabled, for a folder and a log file")
    func demo() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let files = folder.appendingPathComponent("files/deeper")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for number in 1...20 {
                try Data("file \(number)".utf8).write(to: files.appendingPathComponent("\(number).txt"))
            }
            let log = folder.appendingPathComponent("some.log")
            let lines = (1...60).map { "2026-01-01 \($0) \(["start", "work", "stop"][$0 % 3]) thing\($0)\n" }
            try Data(lines.joined().utf8).write(to: log)
            for arguments in [[folder.appendingPathComponent("files").path], ["--input", log.path]] {
                let result = try await ToolProcess.run(["demo"] + arguments)
                #expect(result.code == 0, "\(result.output)\(result.errors)")
                #expect(
                    result.lines.last
                        == "✓ Every logged event arrived once, in order, and only while its scenario was enabled.")
            }
        }
    }

    @Test("A killed pipe restarts as the same client, with its scenario still enabled")
    func pipe() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let environment = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let pipe = try await RunningTool.start(["pipe", "--scenario", "Syslog", "-d", store.path], environment: environment)
            let request = await pipe.errors.first { $0.contains("pending approval") }
            let client = try #require(request?.split(separator: " ").dropFirst().first.map(String.init))
            let transport = try FileTelemetryTransport(directory: store)
            var arrivals = transport.eventStream(matching: .init(scenarios: ["Syslog"])).makeAsyncIterator()
            #expect(try await ToolProcess.run("approve", client, "-d", store.path).code == 0)
            #expect(try await ToolProcess.run("enable", client, "Syslog", "-d", store.path).code == 0)
            try await pipe.write("first\n")
            #expect(try await arrivals.next()?.property1 == "first")
            let second = try await ToolProcess.run(
                ["pipe", "--scenario", "Syslog", "-d", store.path], environment: environment)
            #expect(second.code == 0)
            #expect(second.errors.contains("is pending approval") && !second.errors.contains(client))
            pipe.kill()
            try await pipe.ended()

            let again = try await ToolProcess.run(
                ["pipe", "--scenario", "Syslog", "--level", "diagnostic", "--hold", "-d", store.path], environment: environment,
                input: "second\nthird")
            #expect(again.code == 0)
            #expect(again.errors.contains("Client \(client) is approved, Syslog is enabled: recording lines."))
            #expect(again.errors.hasSuffix("2 lines: 2 recorded.\n"))
            let event = try await arrivals.next()
            #expect(event?.property1 == "second")
            #expect(event?.level == .diagnostic)
            #expect(event?.clientId == client)
            #expect(try await arrivals.next()?.property1 == "third")
        }
    }

    @Test("Events are printed as they arrive")
    func follow() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append([TelemetryEvent(sessionId: "s", sequence: 1, name: "before")])
            let tool = try await RunningTool.start([
                "events", "--follow", "--format", "csv", "--columns", "name", "-d", folder.path,
            ])
            #expect(await tool.output.first { $0 == "before" } != nil)
            try await transport.append([TelemetryEvent(sessionId: "s", sequence: 2, name: "after")])
            #expect(await tool.output.first { $0 == "after" } != nil)
            tool.kill()
            try await tool.ended()
        }
    }
}

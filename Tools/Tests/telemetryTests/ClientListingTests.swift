import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct ClientListingTests {
    private static func event(of client: String, _ date: Date = .now) -> TelemetryEvent {
        TelemetryEvent(
            clientId: client, sessionId: client, name: "n", timestamp: date,
            device: .init(deviceType: "Linux", deviceName: "box", deviceModel: "x", osVersion: "1", appVersion: "host"))
    }

    private func clients(in store: URL) async throws -> [String: [String: Any]] {
        let result = try await ToolProcess.run("clients", "--format", "json", "-d", store.path)
        let objects = try result.lines.compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        return Dictionary(objects.map { ($0["clientid"] as? String ?? "", $0) }) { $1 }
    }

    @Test("A client is listed as approved while it is seen, as unseen after 40 minutes, and as gone without a record")
    func states() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let old = Date.now - 3_600
            for id in ["writes", "answers", "silent", "never"] {
                try await transport.createTelemetryClient(clientId: id, created: old, isEnabled: true)
            }
            try await transport.createTelemetryClient(clientId: "new", isEnabled: true)
            try await transport.createTelemetryClient(clientId: "asks", created: old, isEnabled: false)
            try await transport.append([Self.event(of: "silent", old)])
            try await transport.append([Self.event(of: "writes", old), Self.event(of: "writes"), Self.event(of: "ended", old)])
            try await transport.createScenarios([.init(clientId: "left", scenarioName: "A", isEnabled: true)])
            try await transport.createCommand(
                .init(clientId: "answers", action: .enable, created: old, status: .executed, executedAt: .now))
            try await transport.createCommand(.init(clientId: "dead", action: .enable))
            try await transport.createCommand(.init(clientId: "done", action: .disable, status: .executed, executedAt: .now))
            let clients = try await clients(in: folder)
            #expect(
                clients.mapValues { $0["state"] as? String } == [
                    "writes": "approved", "answers": "approved", "new": "approved", "silent": "unseen", "never": "unseen",
                    "asks": "pending", "ended": "gone", "left": "gone", "dead": "gone",
                ])
            #expect(clients["writes"]?["appVersion"] as? String == "host")
            #expect(clients["ended"]?["deviceName"] as? String == "box")
            #expect(clients["dead"]?["pendingCommands"] as? Int == 1)
            let table = try await ToolProcess.run("clients", "-d", folder.path).output
            #expect(table.contains("not seen since") && table.contains("not seen yet") && table.contains("gone"))
        }
    }

    @Test("App, device and last activity come from the client's record before its first event")
    func record() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let seen = Date(timeIntervalSince1970: 1_767_225_600)
            try await transport.createTelemetryClient(
                TelemetryClientRecord(
                    clientId: "fresh", created: seen - 3_600, isEnabled: true, lastSeen: seen, appVersion: "shop 2.1",
                    osVersion: "12", deviceModel: "box-9", libraryVersion: "1.0"))
            let client = try #require(try await clients(in: folder)["fresh"])
            #expect(client["lastSeen"] as? String == "2026-01-01T00:00:00.000Z")
            #expect(client["appVersion"] as? String == "shop 2.1")
            #expect(client["deviceModel"] as? String == "box-9")
            let row = try await ToolProcess.run("clients", "-d", folder.path).lines.last
            #expect(row?.contains("not seen since 2026-01-01  2026-01-01 00:00  shop 2.1  box-9") == true, "\(row ?? "")")
        }
    }

    @Test("A client whose newest event is very large has been seen, and a segment with an invalid identifier is ignored")
    func unusualSegments() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "a", created: .now - 3_600, isEnabled: true)
            try await transport.append([
                TelemetryEvent(clientId: "a", sessionId: "s", name: "n", property1: String(repeating: "x", count: 200_000))
            ])
            let hostile = folder.appendingPathComponent("events/hostile")
            try FileManager.default.createDirectory(at: hostile, withIntermediateDirectories: true)
            let lines = [
                #"{"segment":4,"checksums":true}"#, #"{"header":{"client":""}}"#, #"{"time":"2026-01-01T00:00:00Z"}"#, "",
            ].joined(separator: "\n")
            try Data(lines.utf8).write(to: hostile.appendingPathComponent("1-a.jsonl"))
            let clients = try await clients(in: folder)
            #expect(clients.count == 1)
            #expect(clients["a"]?["state"] as? String == "approved")
        }
    }

    @Test("The newest event of a long segment counts, whose times are relative to a header near its end")
    func longSegment() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let first = Date(timeIntervalSince1970: 1_767_225_600)
            let events = (0..<3_000).map { Self.event(of: "ended", first + Double($0)) }
            for start in stride(from: 0, to: events.count, by: 100) {
                try await transport.append(Array(events[start..<start + 100]))
            }
            #expect(try await clients(in: folder)["ended"]?["lastSeen"] as? String == "2026-01-01T00:49:59.000Z")
        }
    }

    @Test("A client whose newest session was deleted was last seen at its newest remaining event")
    func deletedSession() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let first = Date(timeIntervalSince1970: 1_767_225_600)
            let kept = (0..<5).map { Self.event(of: "ended", first + Double($0)) }
            let deleted = (0..<5).map { number in
                TelemetryEvent(clientId: "ended", sessionId: "later", name: "n", timestamp: first + 100 + Double(number))
            }
            try await transport.append(kept)
            try await transport.append(deleted)
            try await transport.append([Self.event(of: "ended", first + 10)])
            #expect(try await transport.deleteEvents(matching: .init(sessionId: "later")) == 5)
            #expect(try await clients(in: folder)["ended"]?["lastSeen"] as? String == "2026-01-01T00:00:10.000Z")
            #expect(try await transport.deleteEvents(matching: .init(since: first + 10)) == 1)
            #expect(try await clients(in: folder)["ended"]?["lastSeen"] as? String == "2026-01-01T00:00:04.000Z")
        }
    }

    @Test("An alias is accepted and shown instead of an identifier, per store, until it is removed")
    func alias() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.createTelemetryClient(clientId: "k7wq2", isEnabled: true)
            try await transport.createTelemetryClient(clientId: "m3xp9", isEnabled: true)
            try await transport.createScenarios([.init(clientId: "k7wq2", scenarioName: "A", isEnabled: true)])
            try await transport.createCommand(.init(commandId: "c1", clientId: "k7wq2", action: .enable))
            try await transport.append([Self.event(of: "k7wq2"), Self.event(of: "m3xp9"), Self.event(of: "gone1")])
            func run(_ arguments: String...) async throws -> ToolProcess.Result {
                try await ToolProcess.run(
                    arguments + ["-d", store.path], environment: ["XDG_CONFIG_HOME": folder.path])
            }
            #expect(try await run("alias", "k7", "phone").output == "✓ Client k7wq2 is now phone.\n")
            #expect(try await run("alias", "m3", "phone").code == 73)
            #expect(try await run("alias", "m3", "a b").code == 64)
            #expect(try await run("alias", "gone1", "lost").code == 0)
            #expect(try await run("alias", "--list", "-o", "json").lines.last == #"{"alias":"phone","clientid":"k7wq2"}"#)
            #expect(try await run("clients").lines.first?.contains("ALIAS") == true)
            #expect(try await run("clients", "-o", "json").output.contains(#""alias":"phone""#))
            #expect(try await run("scenarios", "phone").lines.last?.hasPrefix("phone  ") == true)
            #expect(try await run("commands", "--client", "phone").lines.last?.contains(" phone  ") == true)
            #expect(try await run("sessions", "-c", "phone").lines.last?.contains("  phone  ") == true)
            #expect(try await run("stats", "-c", "phone").lines.contains { $0.hasPrefix("phone  ") })
            let events = try await run("events", "-c", "phone")
            #expect(events.lines.count == 2)
            #expect(events.lines.last?.contains(" phone  ") == true)
            #expect(try await run("events", "-c", "lost").lines.count == 2)
            #expect(try await run("events", "-c", "ph*").lines.count == 2)
            let file = folder.appendingPathComponent("live-telemetry/aliases.json").path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await run("alias", "--remove", "phone").code == 0)
            #expect(try await run("alias", "--remove", "phone").code == 66)
            #expect(try await run("events", "-c", "phone").errors.hasPrefix("No client \"phone\"."))
            #expect(try await run("alias", "k7").code == 64)
        }
    }

    @Test("commands cancel deletes pending commands only, after confirmation")
    func cancel() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "k7wq", isEnabled: true)
            for id in ["aa1", "aa2", "bb1"] {
                try await transport.createCommand(.init(commandId: id, clientId: "k7wq", action: .pause))
            }
            try await transport.createCommand(
                .init(commandId: "done", clientId: "k7wq", action: .pause, status: .executed, executedAt: .now))
            try await transport.createCommand(.init(commandId: "dead1", clientId: "dead", action: .pause))
            func cancel(_ arguments: String...) async throws -> ToolProcess.Result {
                try await ToolProcess.run(["commands", "cancel"] + arguments + ["-d", folder.path])
            }
            func left() async throws -> [String] { try await transport.fetchCommands().map(\.commandId).sorted() }
            #expect(try await cancel("bb").code == 1)
            #expect(try await cancel("bb", "--dry-run").output == "Would delete 1 pending command of client k7wq.\n")
            #expect(try await left().count == 5)
            #expect(try await cancel("aa", "--yes").code == 66)
            #expect(try await cancel("done", "--yes").code == 65)
            #expect(try await cancel("aa1", "bb", "--yes").output == "✓ Cancelled 2 commands.\n")
            #expect(try await left() == ["aa2", "dead1", "done"])
            #expect(try await cancel("--client", "dead", "--pending", "--yes").output == "✓ Cancelled 1 command.\n")
            #expect(try await cancel("--client", "k7wq", "--pending", "--yes").code == 0)
            #expect(try await left() == ["done"])
            #expect(try await cancel("--client", "k7wq").code == 64)
            #expect(try await cancel().code == 64)
        }
    }
}

import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct StoreKeepingTests {
    private func fill(_ store: URL) async throws -> FileTelemetryTransport {
        let transport = try FileTelemetryTransport(directory: store)
        for client in ["k7wq", "other"] {
            try await transport.createTelemetryClient(clientId: client, isEnabled: true)
            try await transport.createScenarios([.init(clientId: client, scenarioName: "A", isEnabled: true)])
            try await transport.append(
                (1...3).map { number in
                    TelemetryEvent(
                        eventId: "\(client)-\(number)", clientId: client, sessionId: client,
                        sequence: UInt64(number == 3 ? 5 : number), name: "step", property1: "ü \(number)", scenario: "A")
                })
        }
        return transport
    }

    @Test("An import restores the whole export, and importing again adds nothing")
    func archive() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let source = try await fill(folder.appendingPathComponent("store"))
            let file = folder.appendingPathComponent("archive.jsonl").path
            let exported = try await ToolProcess.run("export", file, "-d", folder.path + "/store")
            #expect(exported.errors == "Exported 4 records and 6 events.\n")
            for expected in [
                "Imported 4 records and 6 events.\n",
                "Imported 0 records and 0 events; kept 4 existing records; skipped 6 existing events.\n",
            ] {
                let imported = try await ToolProcess.run("import", file, "-d", folder.path + "/copy")
                #expect(imported.output == expected)
            }
            let copy = try FileTelemetryTransport(directory: folder.appendingPathComponent("copy"))
            #expect(try await copy.fetchAllEvents() == source.fetchAllEvents())
            #expect(try await copy.fetchScenarios() == source.fetchScenarios())
            let again = try await ToolProcess.run("export", file, "-d", folder.path + "/store")
            #expect(again.code == 73)
        }
    }

    @Test("An invalid line of an archive is reported, and another file is not imported")
    func brokenArchive() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let file = folder.appendingPathComponent("archive.jsonl")
            try Data("{\"format\":\"LiveTelemetry archive\",\"version\":1}\n{\"eventId\":".utf8).write(to: file)
            let broken = try await ToolProcess.run("import", file.path, "-d", folder.path + "/copy")
            #expect(broken.code == 65)
            #expect(broken.errors == "telemetry: Line 2 of \(file.path) is invalid; the lines before it were imported.\n")
            try Data("hello\n".utf8).write(to: file)
            let other = try await ToolProcess.run("import", file.path, "-d", folder.path + "/never")
            #expect(other.errors == "telemetry: The file is not an archive written by telemetry export.\n")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/never"))
        }
    }

    @Test("Forgetting a client requires confirmation, and deletes no other client's data")
    func forget() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try await fill(folder.appendingPathComponent("store"))
            let store = ["-d", folder.path + "/store"]
            let dry = try await ToolProcess.run(["forget", "k7", "--dry-run"] + store)
            #expect(dry.output == "Would delete client k7wq with 1 scenario, 0 commands and 3 events.\n")
            let unasked = try await ToolProcess.run(["forget", "k7"] + store)
            #expect(unasked.code == 1)
            #expect(
                unasked.errors.hasSuffix("Standard input is not interactive; pass --yes to proceed or --dry-run to preview.\n"))
            #expect(try await transport.countEvents() == 6)
            let done = try await ToolProcess.run(["forget", "k7", "--yes"] + store)
            #expect(done.output == "✓ Deleted client k7wq and 3 events.\n")
            #expect(try await transport.fetchTelemetryClients().map(\.clientId) == ["other"])
            #expect(try await transport.fetchScenarios().map(\.clientId) == ["other"])
            #expect(try await transport.countEvents() == 3)
        }
    }

    @Test("stats and doctor report gaps")
    func gaps() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            _ = try await fill(folder.appendingPathComponent("store"))
            let svg = folder.appendingPathComponent("chart.svg")
            let stats = try await ToolProcess.run("stats", "--svg", svg.path, "-d", folder.path + "/store")
            #expect(stats.output.contains("6 events in 2 sessions"))
            #expect(stats.output.contains("gaps: 4 sequence numbers missing within sessions"))
            #expect(try String(contentsOf: svg, encoding: .utf8).hasPrefix("<svg "))
            let doctor = try await ToolProcess.run("doctor", "-d", folder.path + "/store")
            #expect(doctor.code == 0)
            #expect(doctor.output.contains("! 4 events missing within sessions\n"))
            let checked = try await ToolProcess.run("schema", "--check", "-d", folder.path + "/store")
            #expect(checked.output == "✓ 4 records and 6 events match the schema.\n")
        }
    }

    @Test("doctor reads the events of a store that is not too large, which finds damage, and says if it does not")
    func damage() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            _ = try await fill(store)
            let events = store.appendingPathComponent("events/k7wq")
            let segment = try #require(
                FileManager.default.contentsOfDirectory(atPath: events.path).first { $0.hasSuffix(".jsonl") })
            let file = events.appendingPathComponent(segment)
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("\"name\":", with: "\"n me\":").utf8).write(to: file)
            let counting = try await ToolProcess.run("doctor", "--read-up-to", "5", "-d", store.path)
            #expect(counting.code == 0)
            #expect(counting.output.contains("✓ 6 events counted, not read\n"))
            #expect(counting.output.contains("telemetry doctor --read-up-to 12\n"))
            let reading = try await ToolProcess.run("doctor", "--read-up-to", "6", "-d", store.path)
            #expect(reading.code == 1)
            #expect(reading.output.contains("✗ "))
            #expect(!reading.output.contains("not read"))
        }
    }

    @Test("doctor reports clients of other versions and their data")
    func versions() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try await fill(store)
            func doctor() async throws -> String { try await ToolProcess.run("doctor", "-d", store.path).output }
            let version = LiveTelemetryVersion.version
            #expect(try await doctor().contains("✓ all clients use LiveTelemetry \(version), as this viewer does\n"))
            for (client, written) in [("k7wq", ",\"library\":\"99.0.0\""), ("other", "")] {
                let events = store.appendingPathComponent("events/\(client)")
                let name = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: events.path).first { $0.hasSuffix(".jsonl") })
                let segment = events.appendingPathComponent(name)
                let text = try String(contentsOf: segment, encoding: .utf8)
                #expect(text.contains(",\"library\":\"\(version)\""))
                try Data(text.replacingOccurrences(of: ",\"library\":\"\(version)\"", with: written).utf8).write(to: segment)
            }
            var record = try #require(try await transport.records(matching: .init(recordType: "TelemetryClient")).first)
            record["colour"] = "green"
            _ = try await transport.save([record], policy: .overwrite)
            _ = try await transport.save([TelemetryRecord(recordType: "TelemetryPlan")], policy: .insert)
            var command = TelemetryCommandRecord(clientId: "other", action: .enable).toRecord()
            command["action"] = "dance"
            command["status"] = "failed"
            command["errorMessage"] = .string(try #require(TelemetryRecordError.invalidAction("dance").errorDescription))
            _ = try await transport.save([command], policy: .insert)
            let report = try await doctor()
            #expect(report.contains("! client k7wq uses LiveTelemetry 99.0.0, this viewer uses \(version)\n  → a newer"))
            #expect(report.contains("! client other uses another implementation of the file store\n"))
            #expect(report.contains("! 1 record with fields unknown to this version, first: colour in client-"))
            #expect(report.contains("! records of types unknown to this version: TelemetryPlan\n"))
            #expect(report.contains("! 1 command unknown to this version, first: dance\n"))
            #expect(report.contains("! 1 command unknown to the client: other\n"))
        }
    }

    @Test("The CloudKit schema equals the one in the documentation")
    func cloudKitSchema() async throws {
        let printed = try await ToolProcess.run("schema", "--format", "cloudkit").output
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        #expect(
            try printed == String(contentsOf: root.appendingPathComponent("Docs/CloudKit/LiveTelemetry.ckdb"), encoding: .utf8))
    }

    @Test("A corrupt record is reported and set aside, and changes the exit code")
    func corrupt() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            _ = try await fill(store)
            let records = store.appendingPathComponent("records")
            let clients = try #require(
                FileManager.default.contentsOfDirectory(atPath: records.path).first { $0.contains("client") })
            try Data("garbage".utf8).write(to: records.appendingPathComponent(clients).appendingPathComponent("bad.json"))
            let listed = try await ToolProcess.run("clients", "-d", store.path)
            #expect(listed.code == 65)
            #expect(listed.lines.count == 3)
            #expect(listed.errors.contains("could not be read and was moved to"))
            let doctor = try await ToolProcess.run("doctor", "-d", store.path)
            #expect(doctor.output.contains("! 1 unreadable file was set aside\n"))
        }
    }
}

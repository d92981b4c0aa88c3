import Foundation
import TelemetryModels
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

    @Test("What was exported is imported whole, and twice is once")
    func archive() async throws {
        try await withDirectory { folder in
            let source = try await fill(folder.appendingPathComponent("store"))
            let file = folder.appendingPathComponent("archive.jsonl").path
            let exported = try await ToolProcess.run("export", file, "-d", folder.path + "/store")
            #expect(exported.errors == "Exported 4 records and 6 events.\n")
            for expected in [
                "Imported 4 records and 6 events.\n",
                "Imported 0 records and 6 events; 4 records stayed as the store had them.\n",
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

    @Test("A broken archive is told with the line, and what is no archive is not imported")
    func brokenArchive() async throws {
        try await withDirectory { folder in
            let file = folder.appendingPathComponent("archive.jsonl")
            try Data("{\"format\":\"LiveTelemetry archive\",\"version\":1}\n{\"eventId\":".utf8).write(to: file)
            let broken = try await ToolProcess.run("import", file.path, "-d", folder.path + "/copy")
            #expect(broken.code == 65)
            #expect(broken.errors == "telemetry: Line 2 of \(file.path) is broken; what came before it is imported.\n")
            try Data("hello\n".utf8).write(to: file)
            let other = try await ToolProcess.run("import", file.path, "-d", folder.path + "/never")
            #expect(other.errors == "telemetry: This is no archive of a telemetry store; telemetry export writes one.\n")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/never"))
        }
    }

    @Test("Forgetting a client counts first, asks, and touches nobody else")
    func forget() async throws {
        try await withDirectory { folder in
            let transport = try await fill(folder.appendingPathComponent("store"))
            let store = ["-d", folder.path + "/store"]
            let dry = try await ToolProcess.run(["forget", "k7", "--dry-run"] + store)
            #expect(dry.output == "Would delete the client k7wq with 1 scenario, 0 commands and 3 events.\n")
            let unasked = try await ToolProcess.run(["forget", "k7"] + store)
            #expect(unasked.code == 1)
            #expect(unasked.errors.hasSuffix("Nobody is here to be asked: repeat with --yes, or look with --dry-run.\n"))
            #expect(try await transport.countEvents() == 6)
            let done = try await ToolProcess.run(["forget", "k7", "--yes"] + store)
            #expect(done.output == "✓ The client k7wq is forgotten, with 3 events.\n")
            #expect(try await transport.fetchTelemetryClients().map(\.clientId) == ["other"])
            #expect(try await transport.fetchScenarios().map(\.clientId) == ["other"])
            #expect(try await transport.countEvents() == 3)
        }
    }

    @Test("Statistics and the doctor see gaps")
    func gaps() async throws {
        try await withDirectory { folder in
            _ = try await fill(folder.appendingPathComponent("store"))
            let svg = folder.appendingPathComponent("chart.svg")
            let stats = try await ToolProcess.run("stats", "--svg", svg.path, "-d", folder.path + "/store")
            #expect(stats.output.contains("6 events in 2 sessions"))
            #expect(stats.output.contains("gaps: 4 numbers missing within sessions"))
            #expect(try String(contentsOf: svg, encoding: .utf8).hasPrefix("<svg "))
            let doctor = try await ToolProcess.run("doctor", "-d", folder.path + "/store")
            #expect(doctor.code == 0)
            #expect(doctor.output.contains("! 4 events missing within sessions\n"))
            let checked = try await ToolProcess.run("schema", "--check", "-d", folder.path + "/store")
            #expect(checked.output == "✓ 4 records and 6 events are as the schema says.\n")
        }
    }

    @Test("The doctor names clients on another version, and what versions leave behind")
    func versions() async throws {
        try await withDirectory { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try await fill(store)
            func doctor() async throws -> String { try await ToolProcess.run("doctor", "-d", store.path).output }
            let version = LiveTelemetryVersion.version
            #expect(try await doctor().contains("✓ clients write with LiveTelemetry \(version), which is this viewer's too\n"))
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
            let told = try await doctor()
            #expect(told.contains("! the client k7wq writes with LiveTelemetry 99.0.0, this viewer is \(version)\n  → a newer"))
            #expect(
                told.contains("! the client other writes with a LiveTelemetry older than \(version), or is another program\n"))
            #expect(told.contains("! 1 record with fields unknown to this version, first: colour in client-"))
            #expect(told.contains("! records of types unknown to this version: TelemetryPlan\n"))
            #expect(told.contains("! 1 command unknown to this version, first: dance\n"))
            #expect(told.contains("! 1 command unknown to the client: other\n"))
        }
    }

    @Test("The schema for CloudKit is the one that lies with the documentation")
    func cloudKitSchema() async throws {
        let printed = try await ToolProcess.run("schema", "--format", "cloudkit").output
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        #expect(
            try printed == String(contentsOf: root.appendingPathComponent("Docs/CloudKit/LiveTelemetry.ckdb"), encoding: .utf8))
    }

    @Test("A corrupt record is told, set aside, and shows in the exit code")
    func corrupt() async throws {
        try await withDirectory { folder in
            let store = folder.appendingPathComponent("store")
            _ = try await fill(store)
            let records = store.appendingPathComponent("records")
            let clients = try #require(
                FileManager.default.contentsOfDirectory(atPath: records.path).first { $0.contains("client") })
            try Data("garbage".utf8).write(to: records.appendingPathComponent(clients).appendingPathComponent("bad.json"))
            let listed = try await ToolProcess.run("clients", "-d", store.path)
            #expect(listed.code == 65)
            #expect(listed.lines.count == 3)
            #expect(listed.errors.contains("was set aside"))
            let doctor = try await ToolProcess.run("doctor", "-d", store.path)
            #expect(doctor.output.contains("! 1 file could not be read some time, and lie set aside\n"))
        }
    }
}

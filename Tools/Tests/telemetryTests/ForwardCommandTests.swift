import Foundation
import Programs
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Tests of `telemetry forward`, with a collector on the loopback interface.
struct ForwardCommandTests {
    /// A store with a collector.
    private struct Bench {
        let folder: URL
        let transport: FileTelemetryTransport
        let collector: LoopbackServer
        let position: URL

        init(_ folder: URL, _ behaviours: LoopbackServer.Behaviour...) throws {
            self.folder = folder
            transport = try FileTelemetryTransport(directory: folder.appendingPathComponent("store"))
            position = folder.appendingPathComponent("position")
            let rest = Mutex(behaviours.isEmpty ? [.answers(200, body: "{}")] : behaviours)
            collector = try LoopbackServer { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        }

        func append(_ numbers: ClosedRange<Int>, client: String = "k7wq", scenario: String = "A") async throws {
            try await transport.append(
                numbers.map { number in
                    TelemetryEvent(
                        eventId: "e\(number)", clientId: client, sessionId: client, sequence: UInt64(number), name: "step",
                        scenario: scenario)
                })
        }

        var arguments: [String] {
            [
                "forward", "--otlp", collector.baseURL.absoluteString, "--cursor-file", position.path, "-d",
                folder.path + "/store",
            ]
        }

        func forward(_ more: String...) async throws -> ToolProcess.Result {
            try await ToolProcess.run(arguments + ["--once"] + more)
        }

        /// The identifiers of the events in each request.
        var requests: [[String]] { get throws { try collector.requests.map(Self.identifiers) } }

        static func identifiers(in request: LoopbackRequest) throws -> [String] {
            let text = String(decoding: request.body, as: UTF8.self)
            return text.matches(of: /"log\.record\.uid","value":\{"stringValue":"([^"]*)"/).map { String($0.1) }
        }
    }

    @Test("Stored events are sent once, and the next run sends only new ones")
    func once() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder)
            try await bench.append(1...700)
            let first = try await bench.forward("--service-name", "shop")
            #expect(first.code == 0)
            #expect(first.errors == "Forwarded 700 events.\n")
            #expect(try bench.requests.map(\.count) == [512, 188])
            let body = try #require(bench.collector.requests.first).body
            #expect(String(decoding: body, as: UTF8.self).contains("\"service.name\",\"value\":{\"stringValue\":\"shop\"}"))
            try await bench.append(701...701)
            #expect(try await bench.forward().errors == "Forwarded 1 event.\n")
            #expect(try bench.requests.last == ["e701"])
            #expect(try await bench.forward().errors == "Forwarded 0 events.\n")
            #expect(try bench.requests.flatMap(\.self) == (1...701).map { "e\($0)" })
        }
    }

    @Test("A process that is killed before the collector confirms a batch sends the batch again")
    func killed() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder, .answers(200, body: "{}"), .stalls, .answers(200, body: "{}"))
            try await bench.append(1...2)
            let tool = try await RunningTool.start(bench.arguments)
            #expect(await bench.collector.nextRequest() != nil)
            try await bench.append(3...3)
            #expect(await bench.collector.nextRequest() != nil)
            tool.kill()
            try await tool.ended()
            #expect(try await bench.forward().errors == "Forwarded 1 event.\n")
            #expect(try bench.requests == [["e1", "e2"], ["e3"], ["e3"]])
        }
    }

    @Test("New events are sent as they arrive, until the command is interrupted", arguments: [SIGINT, SIGTERM])
    func follows(signal: Int32) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder)
            let tool = try await RunningTool.start(bench.arguments)
            for number in 1...3 {
                try await bench.append(number...number)
                #expect(await bench.collector.nextRequest() != nil)
            }
            tool.send(signal)
            var notes: [String] = []
            while let note = await tool.errors.next() { notes.append(note) }
            #expect(try await tool.ended().code == 0)
            #expect(notes.last?.hasPrefix("Forwarded ") == true)
            // The last request may be interrupted before its answer arrives, and is then repeated by the next run.
            _ = try await bench.forward()
            #expect(Set(try bench.requests.flatMap(\.self)) == ["e1", "e2", "e3"])
        }
    }

    @Test("An unavailable collector gets the request again, and partial success is reported")
    func unavailable() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let partial = "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\",\"errorMessage\":\"too old\"}}"
            let bench = try Bench(folder, .answers(503, headers: ["Retry-After": "0"]), .answers(200, body: partial))
            try await bench.append(1...2)
            let result = try await bench.forward()
            #expect(result.code == 0)
            #expect(
                result.errors == """
                    telemetry: The collector answered 503. Retrying in 0.5 s.
                    telemetry: The collector rejected 1 event: too old
                    Forwarded 1 event; the collector rejected 1 event.

                    """)
            #expect(try bench.requests == [["e1", "e2"], ["e1", "e2"]])
        }
    }

    @Test("If the collector requires other credentials, the command ends, and the next run sends the same events")
    func unauthorized() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder, .answers(401), .answers(200, body: "{}"))
            try await bench.append(1...1)
            let result = try await bench.forward()
            #expect(result.code == 77)
            #expect(result.errors.contains("telemetry: The collector answered 401.\n"))
            #expect(try await bench.forward().code == 0)
            #expect(try bench.requests == [["e1"], ["e1"]])
        }
    }

    @Test("Headers are read from a file that only its owner can read")
    func headers() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder)
            try await bench.append(1...1)
            let file = folder.appendingPathComponent("headers")
            try Data("# key\nAuthorization: Bearer a:b\n\nX-Tenant : 7\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(try await bench.forward("--headers-file", file.path).code == 77)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let invalid = try await bench.forward("--headers-file", file.path)
            #expect(invalid.code == 65)
            #expect(invalid.errors.contains("Line 4 of \(file.path) is not a header."))
            try Data("# key\nAuthorization: Bearer a:b\n\nX-Tenant: 7\n".utf8).write(to: file)
            #expect(try await bench.forward("--headers-file", file.path).code == 0)
            let request = try #require(bench.collector.requests.first)
            #expect(request.header("Authorization") == "Bearer a:b")
            #expect(request.header("X-Tenant") == "7")
        }
    }

    @Test("Two commands cannot use one cursor file at the same time, and the cursor of another store is an error")
    func cursorFile() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder, .stalls)
            try await bench.append(1...1)
            let tool = try await RunningTool.start(bench.arguments)
            #expect(await bench.collector.nextRequest() != nil)
            let second = try await bench.forward()
            #expect(second.code == 69)
            #expect(second.errors.contains("Another process uses the cursor file \(bench.position.path)."))
            tool.kill()
            try await tool.ended()
            try Data("elsewhere\n".utf8).write(to: bench.position)
            let other = try await bench.forward()
            #expect(other.code == 65)
            #expect(other.errors.contains("To start from the beginning, delete \(bench.position.path)."))
        }
    }

    @Test("Only the events that the options select are sent")
    func filter() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder)
            try await bench.append(1...2)
            try await bench.append(3...4, client: "other", scenario: "B")
            #expect(try await bench.forward("--scenario", "B").code == 0)
            #expect(try bench.requests == [["e3", "e4"]])
        }
    }

    @Test("An invalid URL is reported", arguments: ["localhost:4318", "ftp://host", "http://", "http://user:secret@host"])
    func invalidURL(url: String) async throws {
        let result = try await ToolProcess.run("forward", "--otlp", url, "-d", "/nonexistent")
        #expect(result.code == 64)
        #expect(result.errors.contains("is not a collector's URL"))
    }

    @Test("An export as OpenTelemetry logs contains the events, and no records")
    func export() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let bench = try Bench(folder)
            try await bench.append(1...3)
            try await bench.transport.createTelemetryClient(clientId: "k7wq", isEnabled: true)
            let result = try await ToolProcess.run("export", "-", "--format", "otlp", "-d", folder.path + "/store")
            #expect(result.errors == "Exported 3 events.\n")
            #expect(result.lines.count == 1)
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect((object?["resourceLogs"] as? [Any])?.count == 1)
            #expect(try await ToolProcess.run("export", "-", "--service-name", "shop", "-d", folder.path).code == 64)
        }
    }
}

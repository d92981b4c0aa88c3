import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests of interruption and of unavailable stores.
struct EndingTests {
    private func leftovers(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("telemetry-demo") }
    }

    /// Input that keeps a demo busy: two files of this size in bytes.
    private func files(in folder: URL, size: UInt64 = 60 << 20) throws -> URL {
        let files = folder.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        for number in 1...2 {
            let file = files.appendingPathComponent("\(number)")
            try Data().write(to: file)
            // A sparse file occupies no disk space.
            try FileHandle(forWritingTo: file).truncate(atOffset: size)
        }
        return files
    }

    /// The processes whose command line contains this path, if the system provides them.
    private func processes(naming path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { name in
            guard Int(name) != nil, let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else { return false }
            return String(decoding: line, as: UTF8.self).contains(path)
        }
    }

    @Test("An interrupted demo leaves no directory and no host behind", arguments: [SIGINT, SIGTERM, SIGHUP])
    func demo(number: Int32) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            // Busy for longer than a loaded machine takes to send the signal.
            let files = try files(in: folder, size: 4 << 30)
            let demo = try await RunningTool.start(["demo", files.path], environment: ["TMPDIR": folder.path])
            #expect(await demo.output.first { $0.contains("pending approval") } != nil)
            demo.send(number)
            var messages: [String] = []
            while let line = await demo.errors.next() { messages.append(line) }
            let exit = try await demo.ended()
            #expect(messages == ["telemetry: Interrupted; the host was stopped and temporary files were removed."])
            #expect(exit == .killed(by: number))
            #expect(try leftovers(in: folder) == [])
            #expect(processes(naming: folder.path) == [])
        }
    }

    @Test("A demo whose output is closed ends without a message and leaves nothing behind")
    func brokenPipe() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let shell = try await FinishedProgram.run(
                URL(fileURLWithPath: "/bin/bash"),
                [
                    "-c", "\"$0\" demo \"$1\" | head -n 4; exit ${PIPESTATUS[0]}", try ToolProcess.executable.path,
                    try files(in: folder).path,
                ], environment: ["TMPDIR": folder.path])
            // The exit code of a shell for a process that SIGPIPE ended.
            #expect(shell.end == .exited(128 + SIGPIPE))
            #expect(shell.errors == "")
            #expect(try leftovers(in: folder) == [])
            #expect(processes(naming: folder.path) == [])
        }
    }

    @Test("Interrupting --follow prints and saves the cursor", arguments: [SIGINT, SIGTERM])
    func cursor(number: Int32) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.append([.init(eventId: "1", sessionId: "s", sequence: 1, name: "one")])
            let file = folder.appendingPathComponent("position")
            let tool = try await RunningTool.start([
                "events", "--follow", "--print-cursor", "--cursor-file", file.path, "--format", "csv", "--columns", "name", "-d",
                store.path,
            ])
            #expect(await tool.output.first { $0 == "one" } != nil)
            tool.send(number)
            let message = await tool.errors.next()
            #expect(try await tool.ended().code == 0)
            let kept = try String(contentsOf: file, encoding: .utf8)
            #expect("\(message ?? "")\n" == "cursor: \(kept)")
            try await transport.append([.init(eventId: "2", sessionId: "s", sequence: 2, name: "two")])
            let next = try await ToolProcess.run(
                "events", "--cursor-file", file.path, "--format", "csv", "--columns", "name", "-d", store.path)
            #expect(next.output == "name\r\ntwo\r\n")
        }
    }

    @Test("While the store accepts no events, a pipe pauses reading, prints a message, and loses nothing")
    func pipeHoldsBack() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let store = directory.appendingPathComponent("store")
            let away = directory.appendingPathComponent("away")
            let environment = ["XDG_STATE_HOME": directory.appendingPathComponent("state").path]
            let pipe = try await RunningTool.start(
                ["pipe", "--scenario", "A", "--hold", "-d", store.path], environment: environment)
            let request = await pipe.errors.first { $0.contains("pending approval") }
            let id = try #require(request?.split(separator: " ").dropFirst().first.map(String.init))
            _ = try await ToolProcess.run("approve", id, "-d", store.path)
            _ = try await ToolProcess.run("enable", id, "A", "-d", store.path)
            _ = await pipe.errors.first { $0.contains("recording lines") }
            try FileManager.default.moveItem(at: store, to: away)
            try Data().write(to: store)
            // More than the logger's capacity.
            let writer = Task.detached {
                let line = String(repeating: "x", count: 1_000) + "\n"
                for _ in 0..<300 { try await pipe.write(String(repeating: line, count: 100)) }
                try await pipe.closeInput()
            }
            #expect(await pipe.errors.first { $0.hasPrefix("The store accepts no events") } != nil)
            try FileManager.default.removeItem(at: store)
            try FileManager.default.moveItem(at: away, to: store)
            #expect(await pipe.errors.first { $0 == "The store accepts events again." } != nil)
            #expect(await pipe.errors.first { $0 == "30,000 lines: 30,000 recorded." } != nil)
            try await pipe.ended()
            try await writer.value
            #expect(try await FileTelemetryTransport(directory: store).countEvents() == 30_000)
        }
    }

    @Test("A pipe records every line, regardless of their number and length")
    func backPressure() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let environment = ["XDG_STATE_HOME": folder.appendingPathComponent("state").path]
            let pipe = try await RunningTool.start(
                ["pipe", "--scenario", "A", "--hold", "-d", store.path], environment: environment)
            let request = await pipe.errors.first { $0.contains("pending approval") }
            let client = try #require(request?.split(separator: " ").dropFirst().first.map(String.init))
            _ = try await ToolProcess.run("approve", client, "-d", store.path)
            _ = try await ToolProcess.run("enable", client, "A", "-d", store.path)
            // More lines in one chunk than the logger's capacity.
            try await pipe.write(String(repeating: "\n", count: 100_000))
            try await pipe.closeInput()
            #expect(await pipe.errors.first { $0 == "100,000 lines: 100,000 recorded." } != nil)
            try await pipe.ended()
            let events = try await FileTelemetryTransport(directory: store).countEvents()
            #expect(events == 100_000)
        }
    }
}

import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct BadInputTests {
    @Test("A missing directory is reported and not created")
    func missing() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("no-such-store").path
            let result = try await ToolProcess.run("clients", "--directory", store)
            #expect(result.code == 66)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "telemetry: No store at \(store). A host creates its store when it starts; check the path.\n")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
    }

    @Test(
        "A file in place of a directory is reported and left unchanged",
        arguments: ["clients", "events", "scenarios", "commands"])
    func file(command: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let file = folder.appendingPathComponent("file")
            try Data("mine".utf8).write(to: file)
            let result = try await ToolProcess.run(command, "-d", file.path)
            #expect(result.code == 66)
            #expect(result.errors == "telemetry: \(file.path) is not a directory. Check the path.\n")
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    @Test("A directory with other contents is left unchanged")
    func otherThings() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try Data("mine".utf8).write(to: folder.appendingPathComponent("letter.txt"))
            for arguments in [["clients"], ["pipe", "--scenario", "A"], ["demo"]] {
                let result = try await ToolProcess.run(arguments + ["-d", folder.path])
                #expect(result.code == 65)
                #expect(
                    result.errors
                        == "telemetry: \(folder.path) is not a store, and it is not empty. "
                        + "Choose an empty directory or check the path.\n")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.txt"])
        }
    }

    @Test("A directory in which another process is creating a store is opened")
    func unfinishedStore() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try Data().write(to: folder.appendingPathComponent("-format"))
            #expect(try await ToolProcess.run("clients", "-d", folder.path).code == 0)
        }
    }

    @Test("A store of a newer format is reported and left unchanged", arguments: ["clients", "doctor", "pipe", "import"])
    func newerFormat(command: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let manifest = folder.appendingPathComponent("format.json")
            let text = Data(#"{"format":"LiveTelemetry file store","id":"x","version":99}"#.utf8)
            try text.write(to: manifest)
            let archive = folder.appendingPathComponent("archive")
            try Data("{\"format\":\"LiveTelemetry archive\",\"version\":1}\n".utf8).write(to: archive)
            let more = ["pipe": ["--scenario", "A"], "import": [archive.path]][command] ?? []
            let result = try await ToolProcess.run([command] + more + ["-d", folder.path])
            #expect(result.code == 65)
            #expect(result.errors.contains("\(folder.path) is a store of version 99, created by a newer LiveTelemetry"))
            #expect(result.errors.hasSuffix("Update this tool.\n"))
            #expect(try Data(contentsOf: manifest) == text)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["archive", "format.json"])
        }
    }

    @Test(
        "A failed write to the output is an error",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullOutput() async throws {
        let tool = try await FinishedProgram.run(
            URL(filePath: "/bin/sh"), ["-c", "exec \"$0\" schema >/dev/full", try ToolProcess.executable.path])
        #expect(tool.end == .exited(74))
        #expect(tool.errors.hasPrefix("telemetry: Cannot write the output: "))
    }

    @Test(
        "Error messages explain how to fix the problem",
        arguments: [
            (["export", "FOLDER"], 73, "FOLDER is a directory. Give the name of a file."),
            (["export", "FOLDER/none/x"], 73, "Cannot write FOLDER/none/x. Check that its directory exists and is writable."),
            (["import", "FOLDER"], 66, "FOLDER is a directory. Give an archive written by telemetry export."),
            (
                ["stats", "--svg", "FOLDER/none/x"], 73,
                "Cannot write the chart to FOLDER/none/x. Check that its directory exists and is writable."
            ),
            (
                ["events", "--after", "x"], 65,
                "\"x\" is not a valid cursor of this store. To start from the beginning, omit --after."
            ),
        ] as [([String], Int32, String)])
    func advice(arguments: [String], code: Int32, message: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await FileTelemetryTransport(directory: store).append([.init(sessionId: "s", sequence: 1, name: "a")])
            func named(_ text: String) -> String { text.replacingOccurrences(of: "FOLDER", with: folder.path) }
            let result = try await ToolProcess.run(arguments.map(named) + ["-d", store.path])
            #expect(result.code == code)
            #expect(result.errors == "telemetry: \(named(message))\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
        }
    }

    @Test("Without a store option the tool explains how to set one")
    func noStore() async throws {
        let result = try await ToolProcess.run("clients")
        #expect(result.code == 64)
        #expect(
            result.errors.contains(
                "No store given. Use --directory DIR or set LIVE_TELEMETRY_STORE. For a relay, use --relay URL"))
    }

    @Test("The demo rejects missing input")
    func demo() async throws {
        let folder = try await ToolProcess.run("demo", "/no/such/folder")
        #expect(folder.code == 66)
        #expect(folder.errors == "telemetry: No folder at /no/such/folder.\n")
        let file = try await ToolProcess.run("demo", "--input", "/no/such/file")
        #expect(file.code == 66)
        #expect(file.errors == "telemetry: No file at /no/such/file.\n")
        let both = try await ToolProcess.run("demo", "/", "--input", "/etc/hosts")
        #expect(both.code == 64)
    }
}
